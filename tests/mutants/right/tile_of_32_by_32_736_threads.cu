// Right: a tile of 32 by 32, and 736 threads
// judged by: 04_shared_tile
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {736, 1}, .tile = {32, 32}, .block_x_walks = kCols};

PREDICTIONS = {.shared_load_wavefronts_per_request = 32, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 1048576, .shared_store_wavefronts = 32768};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][32+0];
  const size_t row0 = size_t(blockIdx.y) * 32, col0 = size_t(blockIdx.x) * 32;
  for (int i = threadIdx.x; i < 32 * 32; i += 736)
    if (row0 + i / 32 < rows && col0 + i % 32 < cols) tile[i / 32][i % 32] = in[(row0 + i / 32) * cols + col0 + i % 32];
  __syncthreads();
  for (int i = threadIdx.x; i < 32 * 32; i += 736)
    if (row0 + i % 32 < rows && col0 + i / 32 < cols) out[(col0 + i / 32) * rows + row0 + i % 32] = tile[i % 32][i / 32];
}
