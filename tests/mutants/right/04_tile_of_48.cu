// Right: tiles of 48 × 48, blocks of 48 × 8
// judged by: 04_shared_tile
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {48, 8}, .tile = {48, 48}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 44032, .shared_store_wavefronts = 44032};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float t[48][49];
  const size_t r0 = blockIdx.y * size_t(48), c0 = blockIdx.x * size_t(48);
  const int x = threadIdx.x;
  for (int y = threadIdx.y; y < 48; y += 8)
    if (r0 + y < rows && c0 + x < cols) t[y][x] = in[(r0 + y) * cols + c0 + x];
  __syncthreads();
  for (int y = threadIdx.y; y < 48; y += 8)
    if (c0 + y < cols && r0 + x < rows) out[(c0 + y) * rows + r0 + x] = t[x][y];
}
