// Cheat: lane 0 of every warp computes for nothing, and the others wait: few instructions of lanes, many of warps
// judged by: 04_shared_tile, 05_padding
// code: many-instructions
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  int n = cols;
  if (threadIdx.x == 0)
    for (int i = 0; i < 500; ++i) asm volatile("not.b32 %0, %0;" : "+r"(n));
  n = __shfl_sync(~0u, n, 0);
  for (int y = threadIdx.y; y < 32; y += 8)
    if (row0 + y < rows && col0 + threadIdx.x < n) tile[y][threadIdx.x] = in[(row0 + y) * n + col0 + threadIdx.x];
  __syncthreads();
  for (int x = threadIdx.y; x < 32; x += 8)
    if (row0 + threadIdx.x < rows && col0 + x < n) out[(col0 + x) * rows + row0 + threadIdx.x] = tile[threadIdx.x][x];
}
