// Right: a block walks over four tiles, one behind the other
// judged by: 04_shared_tile, 05_padding
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 128}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t r0 = size_t(blockIdx.y) * 32;
  for (int t = 0; t < 4; ++t) {
    const size_t c0 = size_t(blockIdx.x) * 128 + t * 32;
    if (c0 >= cols) break;
    if (t) __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8)
      if (r0 + y < rows && c0 + threadIdx.x < cols) tile[y][threadIdx.x] = in[(r0 + y) * cols + c0 + threadIdx.x];
    __syncthreads();
    for (int x = threadIdx.y; x < 32; x += 8)
      if (r0 + threadIdx.x < rows && c0 + x < cols) out[(c0 + x) * rows + r0 + threadIdx.x] = tile[threadIdx.x][x];
  }
}
