// Right: the last block of all resets a counter, as reductions do
// judged by: 05_padding
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

__device__ unsigned finished;
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float t[32][33];
  const size_t r0 = blockIdx.y * size_t(32), c0 = blockIdx.x * size_t(32);
  const int x = threadIdx.x;
  for (int y = threadIdx.y; y < 32; y += 8)
    if (r0 + y < rows && c0 + x < cols) t[y][x] = in[(r0 + y) * cols + c0 + x];
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8)
    if (c0 + y < cols && r0 + x < rows) out[(c0 + y) * rows + r0 + x] = t[x][y];
  __threadfence();
  if (threadIdx.x == 0 && threadIdx.y == 0 && atomicAdd(&finished, 1u) == gridDim.x * gridDim.y - 1) finished = 0;
}
