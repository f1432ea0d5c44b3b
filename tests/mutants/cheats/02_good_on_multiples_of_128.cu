// Cheat: warps of 8 by 4 where no tile is cut off, rows of 32 for all else
// judged by: 02_coalescing
// code: uncoalesced
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {256, 1}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.global_load_sectors_per_request = 4, .global_store_sectors_per_request = 8, .global_load_sectors = 131072, .global_store_sectors = 262144};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t row0 = blockIdx.y * size_t(32), col0 = blockIdx.x * size_t(32);
  const int t = threadIdx.x;
  const bool good = rows % 128 == 0 && cols % 128 == 0;
  for (int k = 0; k < 4; ++k) {
    const int i = t + 256 * k, y = good ? i / 8 % 4 + i / 128 * 4 : i / 32, x = good ? i % 8 + i / 32 % 4 * 8 : i % 32;
    if (row0 + y < rows && col0 + x < cols) out[(col0 + x) * rows + row0 + y] = in[(row0 + y) * cols + col0 + x];
  }
}
