// Right: tiles of 24 × 40, threads in one line
// judged by: 04_shared_tile
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {240, 1}, .tile = {24, 40}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 2, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 65843, .shared_store_wavefronts = 52566};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float t[24][41];
  const size_t r0 = blockIdx.y * size_t(24), c0 = blockIdx.x * size_t(40);
  for (int i = threadIdx.x; i < 24 * 40; i += 240)
    if (r0 + i / 40 < rows && c0 + i % 40 < cols) t[i / 40][i % 40] = in[(r0 + i / 40) * cols + c0 + i % 40];
  __syncthreads();
  for (int i = threadIdx.x; i < 24 * 40; i += 240)
    if (c0 + i / 24 < cols && r0 + i % 24 < rows) out[(c0 + i / 24) * rows + r0 + i % 24] = t[i % 24][i / 24];
}
