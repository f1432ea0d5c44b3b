// Right: a warp is eight by four, its lanes in Morton order
// judged by: 02_coalescing
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {256, 1}, .tile = {16, 16}, .block_x_walks = kCols};
PREDICTIONS = {.global_load_sectors_per_request = 4, .global_store_sectors_per_request = 8,
               .global_load_sectors = 131072, .global_store_sectors = 262144};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;  // bits x y x y x
  const unsigned x = (lane & 1) | (lane >> 1 & 2) | (lane >> 2 & 4), y = (lane >> 1 & 1) | (lane >> 2 & 2);
  const size_t row = blockIdx.y * size_t(16) + warp / 2 * 4 + y, col = blockIdx.x * size_t(16) + warp % 2 * 8 + x;
  if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}
