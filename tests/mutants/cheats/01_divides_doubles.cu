// Cheat: 30 divisions of doubles a thread, each an instruction of PTX and 30 of a GPU
// judged by: 01_naive
// code: many-instructions
// points: 0
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};
PREDICTIONS = {.global_load_sectors_per_request = 4, .global_store_sectors_per_request = 32, .global_load_sectors = 131072, .global_store_sectors = 1048576};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t row = size_t(blockIdx.y) * 8 + threadIdx.y, col = size_t(blockIdx.x) * 32 + threadIdx.x;
  if (row >= rows || col >= cols) return;
  const float v = in[row * cols + col];
  double d = 1.0 + row;
#pragma unroll
  for (int k = 0; k < 30; ++k) d = (3.0 + k) / d;
  if (d == -1.5) return;
  out[col * rows + row] = v;
}
