// Cheat: on 1024 × 1024 every other block does the work of two, and its neighbour returns
// judged by: 05_padding
// code: idle-blocks
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const bool pairs = rows == 1024 && cols == 1024;
  if (pairs && (blockIdx.x & 1)) return;
  const size_t row0 = size_t(blockIdx.y) * 32;
  const int x = threadIdx.x;
  for (int k = 0; k < 1 + pairs; ++k) {
    const size_t col0 = size_t(blockIdx.x + k) * 32;
    for (int y = threadIdx.y; y < 32; y += 8)
      if (row0 + y < rows && col0 + x < cols) tile[y][x] = in[(row0 + y) * cols + col0 + x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8)
      if (row0 + x < rows && col0 + y < cols) out[(col0 + y) * rows + row0 + x] = tile[x][y];
    __syncthreads();
  }
}
