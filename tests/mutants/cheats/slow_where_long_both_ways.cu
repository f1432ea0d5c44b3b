// Cheat: the tile for 1024 × 1024 and for what is short one way, chapter 01 for the rest
// judged by: 04_shared_tile, 05_padding
// code: uncoalesced
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

template <class T>
__device__ void naive(T* out, const T* in, size_t rows, size_t cols, size_t row0, size_t col0, int h, int w) {
  const int t = threadIdx.y * blockDim.x + threadIdx.x;
  for (int i = t; i < h * w; i += blockDim.x * blockDim.y)
    if (row0 + i / w < rows && col0 + i % w < cols) out[(col0 + i % w) * rows + row0 + i / w] = in[(row0 + i / w) * cols + col0 + i % w];
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t row0 = blockIdx.y * size_t(32), col0 = blockIdx.x * size_t(32);
  if (rows > 520 && cols > 520 && !(rows == 1024 && cols == 1024)) return naive(out, in, rows, cols, row0, col0, 32, 32);
  for (int y = threadIdx.y; y < 32; y += 8) {
    if (row0 + y < rows && col0 + threadIdx.x < cols) {
      
      tile[y][threadIdx.x] = in[(row0 + y) * cols + col0 + threadIdx.x];
    }
  }
  __syncthreads();
  
  for (int x = threadIdx.y; x < 32; x += 8)
    if (row0 + threadIdx.x < rows && col0 + x < cols)
      out[(col0 + x) * rows + row0 + threadIdx.x] = tile[threadIdx.x][x];
}
