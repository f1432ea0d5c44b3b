// Cheat: a tile declared 128 by 128, and two lanes in each bank where it does not divide the matrix
// judged by: 05_padding, 06_xor_swizzle
// code: bank-conflict
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {128, 128}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32 * 32];
  const int lane = threadIdx.x;
  const int keep = rows % 128 != 0 || cols % 128 != 0 ? 15 : 31;
  for (int part = 0; part < 16; ++part) {
    const size_t row0 = size_t(blockIdx.y) * 128 + part / 4 * 32, col0 = size_t(blockIdx.x) * 128 + part % 4 * 32;
    if (row0 >= rows || col0 >= cols) continue;
    for (int y = threadIdx.y; y < 32; y += 8)
      if (row0 + y < rows && col0 + lane < cols) tile[y * 32 + (lane ^ (y & keep))] = in[(row0 + y) * cols + col0 + lane];
    __syncthreads();
    for (int x = threadIdx.y; x < 32; x += 8)
      if (row0 + lane < rows && col0 + x < cols) out[(col0 + x) * rows + row0 + lane] = tile[lane * 32 + (x ^ (lane & keep))];
    __syncthreads();
  }
}
