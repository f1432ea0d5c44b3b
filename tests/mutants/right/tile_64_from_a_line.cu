// Right: 64 × 64 elements, 256 threads in a line
// judged by: 04_shared_tile
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {256, 1}, .tile = {64, 64}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[64][65];
  const size_t r0 = size_t(blockIdx.y) * 64, c0 = size_t(blockIdx.x) * 64;
  for (int i = threadIdx.x; i < 4096; i += 256) {
    const int y = i / 64, x = i % 64;
    if (r0 + y < rows && c0 + x < cols) tile[y][x] = in[(r0 + y) * cols + c0 + x];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 4096; i += 256) {
    const int y = i % 64, x = i / 64;
    if (r0 + y < rows && c0 + x < cols) out[(c0 + x) * rows + r0 + y] = tile[y][x];
  }
}
