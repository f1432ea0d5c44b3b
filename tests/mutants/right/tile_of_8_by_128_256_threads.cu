// Right: a tile of 8 by 128, and 256 threads
// judged by: 04_shared_tile
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {256, 1}, .tile = {8, 128}, .block_x_walks = kCols};

PREDICTIONS = {.shared_load_wavefronts_per_request = 8, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 262144, .shared_store_wavefronts = 32768};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[8][128+0];
  const size_t row0 = size_t(blockIdx.y) * 8, col0 = size_t(blockIdx.x) * 128;
  for (int i = threadIdx.x; i < 8 * 128; i += 256)
    if (row0 + i / 128 < rows && col0 + i % 128 < cols) tile[i / 128][i % 128] = in[(row0 + i / 128) * cols + col0 + i % 128];
  __syncthreads();
  for (int i = threadIdx.x; i < 8 * 128; i += 256)
    if (row0 + i % 8 < rows && col0 + i / 8 < cols) out[(col0 + i / 8) * rows + row0 + i % 8] = tile[i % 8][i / 8];
}
