// Right: a tile of 16 by 72, and 128 threads
// judged by: 04_shared_tile
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {128, 1}, .tile = {16, 72}, .block_x_walks = kCols};

PREDICTIONS = {.shared_load_wavefronts_per_request = 4, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 131072, .shared_store_wavefronts = 33536};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[16][72+0];
  const size_t row0 = size_t(blockIdx.y) * 16, col0 = size_t(blockIdx.x) * 72;
  for (int i = threadIdx.x; i < 16 * 72; i += 128)
    if (row0 + i / 72 < rows && col0 + i % 72 < cols) tile[i / 72][i % 72] = in[(row0 + i / 72) * cols + col0 + i % 72];
  __syncthreads();
  for (int i = threadIdx.x; i < 16 * 72; i += 128)
    if (row0 + i % 16 < rows && col0 + i / 16 < cols) out[(col0 + i / 16) * rows + row0 + i % 16] = tile[i % 16][i / 16];
}
