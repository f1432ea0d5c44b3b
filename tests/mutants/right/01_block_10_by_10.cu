// Right: blocks of 10 by 10 threads
// judged by: 01_naive
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {10, 10}, .tile = {10, 10}, .block_x_walks = kCols};
PREDICTIONS = {.global_load_sectors_per_request = 6, .global_store_sectors_per_request = 10, .global_load_sectors = 233560, .global_store_sectors = 440188};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t row = blockIdx.y * size_t(10) + threadIdx.y, col = blockIdx.x * size_t(10) + threadIdx.x;
  if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}
