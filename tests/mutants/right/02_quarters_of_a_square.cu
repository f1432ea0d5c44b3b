// Right: warps take quarters of a square of 16, eight lanes side by side
// judged by: 02_coalescing
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {64, 1}, .tile = {16, 16}, .block_x_walks = kCols};
PREDICTIONS = {.global_load_sectors_per_request = 4, .global_store_sectors_per_request = 8, .global_load_sectors = 131072, .global_store_sectors = 262144};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int k = 0; k < 4; ++k) {
    const size_t row = size_t(blockIdx.y) * 16 + warp * 8 + (k & 1) * 4 + lane / 8, col = size_t(blockIdx.x) * 16 + (k >> 1) * 8 + lane % 8;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
  }
}
