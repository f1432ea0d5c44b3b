// Right: one warp, one tile, __syncwarp
// judged by: 04_shared_tile, 05_padding
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 1}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float t[32 * 33];
  const size_t r0 = blockIdx.y * 32ull, c0 = blockIdx.x * 32ull;
  const unsigned lane = threadIdx.x;
#pragma unroll 4
  for (int y = 0; y < 32; ++y) if (r0 + y < rows && c0 + lane < cols) t[y * 33 + lane] = in[(r0 + y) * cols + c0 + lane];
  __syncwarp();
#pragma unroll 4
  for (int y = 0; y < 32; ++y) if (c0 + y < cols && r0 + lane < rows) out[(c0 + y) * rows + r0 + lane] = t[lane * 33 + y];
}
