// Right: whole tiles without tests, element by element at the edges
// judged by: 02_coalescing
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {8, 32}, .tile = {128, 128}, .block_x_walks = kCols};
PREDICTIONS = {.global_load_sectors_per_request = 4, .global_store_sectors_per_request = 8, .global_load_sectors = 131072, .global_store_sectors = 262144};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t row0 = blockIdx.y * size_t(128), col0 = blockIdx.x * size_t(128);
  if (row0 + 128 <= rows && col0 + 128 <= cols) {
    for (int y = threadIdx.y; y < 128; y += 32)
      for (int x = threadIdx.x; x < 128; x += 8) out[(col0 + x) * rows + row0 + y] = in[(row0 + y) * cols + col0 + x];
    return;
  }
  const int t = threadIdx.y * 8 + threadIdx.x;
  for (int i = t; i < 128 * 128; i += 256)
    if (row0 + i / 128 < rows && col0 + i % 128 < cols) out[(col0 + i % 128) * rows + row0 + i / 128] = in[(row0 + i / 128) * cols + col0 + i % 128];
}
