// Right: a tile of 64 by 64, and 64 threads
// judged by: 04_shared_tile
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {64, 1}, .tile = {64, 64}, .block_x_walks = kCols};

PREDICTIONS = {.shared_load_wavefronts_per_request = 32, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 1048576, .shared_store_wavefronts = 32768};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[64][64+0];
  const size_t row0 = size_t(blockIdx.y) * 64, col0 = size_t(blockIdx.x) * 64;
  for (int i = threadIdx.x; i < 64 * 64; i += 64)
    if (row0 + i / 64 < rows && col0 + i % 64 < cols) tile[i / 64][i % 64] = in[(row0 + i / 64) * cols + col0 + i % 64];
  __syncthreads();
  for (int i = threadIdx.x; i < 64 * 64; i += 64)
    if (row0 + i % 64 < rows && col0 + i / 64 < cols) out[(col0 + i / 64) * rows + row0 + i % 64] = tile[i % 64][i / 64];
}
