// Right: a tile of 24 by 40, and 96 threads
// judged by: 04_shared_tile
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {96, 1}, .tile = {24, 40}, .block_x_walks = kCols};

PREDICTIONS = {.shared_load_wavefronts_per_request = 5, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 175104, .shared_store_wavefronts = 33280};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[24][40+0];
  const size_t row0 = size_t(blockIdx.y) * 24, col0 = size_t(blockIdx.x) * 40;
  for (int i = threadIdx.x; i < 24 * 40; i += 96)
    if (row0 + i / 40 < rows && col0 + i % 40 < cols) tile[i / 40][i % 40] = in[(row0 + i / 40) * cols + col0 + i % 40];
  __syncthreads();
  for (int i = threadIdx.x; i < 24 * 40; i += 96)
    if (row0 + i % 24 < rows && col0 + i / 24 < cols) out[(col0 + i / 24) * rows + row0 + i % 24] = tile[i % 24][i / 24];
}
