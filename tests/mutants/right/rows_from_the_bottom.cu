// Right: rows from the last to the first, columns too
// judged by: 05_padding, 06_xor_swizzle
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 4}, .tile = {32, 32}, .block_x_walks = kRows};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32 * 32];
  const size_t row0 = size_t(blockIdx.x) * 32, col0 = size_t(blockIdx.y) * 32;
  const int lane = 31 - threadIdx.x;
  for (int y = 31 - threadIdx.y; y >= 0; y -= 4)
    if (row0 + y < rows && col0 + lane < cols) tile[y * 32 + (lane + 31 * y) % 32] = in[(row0 + y) * cols + col0 + lane];
  __syncthreads();
  for (int x = 31 - threadIdx.y; x >= 0; x -= 4)
    if (row0 + lane < rows && col0 + x < cols) out[(col0 + x) * rows + row0 + lane] = tile[lane * 32 + (x + 31 * lane) % 32];
}
