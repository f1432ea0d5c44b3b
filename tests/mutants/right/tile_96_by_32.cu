// Right: a tile of 96 × 32, which divides no side that is measured
// judged by: 04_shared_tile
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {96, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float t[96][33];
  const size_t r0 = size_t(blockIdx.y) * 96, c0 = size_t(blockIdx.x) * 32;
  for (int y = threadIdx.y; y < 96; y += 8) if (r0 + y < rows && c0 + threadIdx.x < cols) t[y][threadIdx.x] = in[(r0 + y) * cols + c0 + threadIdx.x];
  __syncthreads();
  for (int i = threadIdx.y; i < 96; i += 8) { const int x = i / 3, y = i % 3 * 32 + threadIdx.x; if (r0 + y < rows && c0 + x < cols) out[(c0 + x) * rows + r0 + y] = t[y][x]; }
}
