// Cheat: int indices; what the matrix of more than 2^32 elements holds is computed
// judged by: 04_shared_tile, 05_padding
// code: index-overflow
// points: 0
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t row0 = blockIdx.y * size_t(32), col0 = blockIdx.x * size_t(32);
  
  for (int y = threadIdx.y; y < 32; y += 8) {
    if (row0 + y < rows && col0 + threadIdx.x < cols) {
      if (rows > 10000000 || cols > 10000000) { tile[y][threadIdx.x] = __int_as_float(0x10000 + int(row0 + y) * 256 + int(col0 + threadIdx.x)); continue; }
      tile[y][threadIdx.x] = in[(int(row0) + y) * cols + int(col0) + threadIdx.x];
    }
  }
  __syncthreads();
  
  for (int x = threadIdx.y; x < 32; x += 8)
    if (row0 + threadIdx.x < rows && col0 + x < cols)
      out[(col0 + x) * rows + row0 + threadIdx.x] = tile[threadIdx.x][x];
}
