// Right: a tile of 40 by 24, and 160 threads
// judged by: 04_shared_tile
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {160, 1}, .tile = {40, 24}, .block_x_walks = kCols};

PREDICTIONS = {.shared_load_wavefronts_per_request = 6, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 210432, .shared_store_wavefronts = 33024};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[40][24+0];
  const size_t row0 = size_t(blockIdx.y) * 40, col0 = size_t(blockIdx.x) * 24;
  for (int i = threadIdx.x; i < 40 * 24; i += 160)
    if (row0 + i / 24 < rows && col0 + i % 24 < cols) tile[i / 24][i % 24] = in[(row0 + i / 24) * cols + col0 + i % 24];
  __syncthreads();
  for (int i = threadIdx.x; i < 40 * 24; i += 160)
    if (row0 + i % 40 < rows && col0 + i / 40 < cols) out[(col0 + i / 40) * rows + row0 + i % 40] = tile[i % 40][i / 40];
}
