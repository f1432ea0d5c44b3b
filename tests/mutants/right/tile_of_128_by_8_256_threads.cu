// Right: a tile of 128 by 8, and 256 threads
// judged by: 04_shared_tile
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {256, 1}, .tile = {128, 8}, .block_x_walks = kCols};

PREDICTIONS = {.shared_load_wavefronts_per_request = 8, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 262144, .shared_store_wavefronts = 32768};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[128][8+0];
  const size_t row0 = size_t(blockIdx.y) * 128, col0 = size_t(blockIdx.x) * 8;
  for (int i = threadIdx.x; i < 128 * 8; i += 256)
    if (row0 + i / 8 < rows && col0 + i % 8 < cols) tile[i / 8][i % 8] = in[(row0 + i / 8) * cols + col0 + i % 8];
  __syncthreads();
  for (int i = threadIdx.x; i < 128 * 8; i += 256)
    if (row0 + i % 128 < rows && col0 + i / 128 < cols) out[(col0 + i / 128) * rows + row0 + i % 128] = tile[i % 128][i / 128];
}
