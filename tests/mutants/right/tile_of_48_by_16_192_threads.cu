// Right: a tile of 48 by 16, and 192 threads
// judged by: 04_shared_tile
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {192, 1}, .tile = {48, 16}, .block_x_walks = kCols};

PREDICTIONS = {.shared_load_wavefronts_per_request = 13, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 438272, .shared_store_wavefronts = 32768};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[48][16+0];
  const size_t row0 = size_t(blockIdx.y) * 48, col0 = size_t(blockIdx.x) * 16;
  for (int i = threadIdx.x; i < 48 * 16; i += 192)
    if (row0 + i / 16 < rows && col0 + i % 16 < cols) tile[i / 16][i % 16] = in[(row0 + i / 16) * cols + col0 + i % 16];
  __syncthreads();
  for (int i = threadIdx.x; i < 48 * 16; i += 192)
    if (row0 + i % 48 < rows && col0 + i / 48 < cols) out[(col0 + i / 48) * rows + row0 + i % 48] = tile[i % 48][i / 48];
}
