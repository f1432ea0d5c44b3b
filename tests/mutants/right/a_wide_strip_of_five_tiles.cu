// Right: five tiles side by side, each in its own room
// judged by: 04_shared_tile
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 160}, .block_x_walks = kCols};

PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[5][32][33];
  const size_t row0 = size_t(blockIdx.y) * 32, left = size_t(blockIdx.x) * 160;
  const int lane = threadIdx.x;
  for (int k = 0; k < 5; ++k)
    for (int y = threadIdx.y; y < 32; y += 8)
      if (row0 + y < rows && left + 32 * k + lane < cols) tile[k][y][lane] = in[(row0 + y) * cols + left + 32 * k + lane];
  __syncthreads();
  for (int k = 0; k < 5; ++k)
    for (int x = threadIdx.y; x < 32; x += 8)
      if (row0 + lane < rows && left + 32 * k + x < cols) out[(left + 32 * k + x) * rows + row0 + lane] = tile[k][lane][x];
}
