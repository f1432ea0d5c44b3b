// Cheat: each thread runs 3 000 instructions for nothing, then does what is asked
// judged by: 05_padding
// code: budget-exceeded
// points: 0
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t row0 = blockIdx.y * size_t(32), col0 = blockIdx.x * size_t(32);
  int v = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < 3000; ++i) asm volatile("not.b32 %0, %0;" : "+r"(v));
  for (int y = threadIdx.y; y < 32; y += 8)
    if (row0 + y < rows && col0 + threadIdx.x < cols) tile[y][threadIdx.x] = in[(row0 + y) * cols + col0 + threadIdx.x];
  __syncthreads();
  for (int x = threadIdx.y; x < 32; x += 8)
    if (row0 + threadIdx.x < rows && col0 + x < cols) out[(col0 + x) * rows + row0 + threadIdx.x] = tile[threadIdx.x][x];
}
