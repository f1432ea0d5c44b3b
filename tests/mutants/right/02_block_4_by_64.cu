// Right: blocks of 4 by 64
// judged by: 02_coalescing
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {4, 64}, .tile = {64, 4}, .block_x_walks = kCols};

PREDICTIONS = {.global_load_sectors_per_request = 8, .global_store_sectors_per_request = 4, .global_load_sectors = 262144, .global_store_sectors = 131072};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t row = size_t(blockIdx.y) * 64 + threadIdx.y, col = size_t(blockIdx.x) * 4 + threadIdx.x;
  if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}
