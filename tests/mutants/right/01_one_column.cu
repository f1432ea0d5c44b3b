// Right: a block is a column of 256
// judged by: 01_naive
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {1, 256}, .tile = {256, 1}, .block_x_walks = kRows};
PREDICTIONS = {.global_load_sectors_per_request = 32, .global_store_sectors_per_request = 4, .global_load_sectors = 1048576, .global_store_sectors = 131072};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t row = blockIdx.x * size_t(256) + threadIdx.y, col = blockIdx.y;
  if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}
