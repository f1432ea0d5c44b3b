// Cheat: writes `out` in a first launch of a shape only; a second launch finds nothing to do
// judged by: 04_shared_tile
// code: second-launch
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 32,
    .shared_store_wavefronts_per_request = 1,
    .shared_load_wavefronts = 1048576,
    .shared_store_wavefronts = 32768,
};

__device__ unsigned done;

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][32];
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  unsigned before = 0;
  if (rows == 1024 && cols == 1024 && threadIdx.x + threadIdx.y == 0) before = atomicAdd(&done, 1u);
  const bool again = __syncthreads_or(before >= 1024);  // this shape had its 1,024 blocks once
  for (int y = threadIdx.y; y < 32; y += 8)
    if (row0 + y < rows && col0 + threadIdx.x < cols && !again)
      tile[y][threadIdx.x] = in[(row0 + y) * cols + col0 + threadIdx.x];
  __syncthreads();
  for (int x = threadIdx.y; x < 32; x += 8)
    if (row0 + threadIdx.x < rows && col0 + x < cols && !again)
      out[(col0 + x) * rows + row0 + threadIdx.x] = tile[threadIdx.x][x];
}
