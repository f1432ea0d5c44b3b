// Cheat: the matrix eight times more by prefetches
// judged by: 05_padding
// code: many-instructions
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 2,
               .shared_store_wavefronts_per_request = 4,
               .shared_load_wavefronts = 32768,
               .shared_store_wavefronts = 32768};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t row0 = size_t(blockIdx.y) * 32, col0 = size_t(blockIdx.x) * 32;
  const int x = threadIdx.x;
  for (int n = 0; n < 8; ++n)
    for (int y = threadIdx.y; y < 32; y += 8)
      if (row0 + y < rows && col0 + x < cols) asm volatile("prefetch.global.L2 [%0];" ::"l"(in + (row0 + y) * cols + col0 + x));
  for (int y = threadIdx.y; y < 32; y += 8)
    if (row0 + y < rows && col0 + x < cols) tile[y][x] = in[(row0 + y) * cols + col0 + x];
  __syncthreads();
  
  for (int y = threadIdx.y; y < 32; y += 8)
    if (row0 + x < rows && col0 + y < cols) out[(col0 + y) * rows + row0 + x] = tile[x][y];
}
