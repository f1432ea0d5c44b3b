// Right: lanes along a Hilbert curve
// judged by: 02_coalescing
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {64, 1}, .tile = {8, 8}, .block_x_walks = kCols};
PREDICTIONS = {.global_load_sectors_per_request = 8, .global_store_sectors_per_request = 4, .global_load_sectors = 262144, .global_store_sectors = 131072};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  int x = 0, y = 0, t = threadIdx.x % 64;
  for (int s = 1; s < 8; s *= 2) {
    const int rx = 1 & t / 2, ry = 1 & (t ^ rx);
    if (ry == 0) {
      if (rx == 1) x = s - 1 - x, y = s - 1 - y;
      const int k = x;
      x = y, y = k;
    }
    x += s * rx, y += s * ry, t /= 4;
  }
  const size_t row = blockIdx.y * size_t(8) + y, col = blockIdx.x * size_t(8) + x;
  if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}
