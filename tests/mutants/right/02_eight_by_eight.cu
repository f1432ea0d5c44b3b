// Right: blocks of 8 × 8 threads in a line, each with two elements of a column
// judged by: 02_coalescing
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {64, 1}, .tile = {16, 8}, .block_x_walks = kRows};
PREDICTIONS = {.global_load_sectors_per_request = 4, .global_store_sectors_per_request = 8};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const unsigned x = threadIdx.x % 8, y = threadIdx.x / 8;
  for (unsigned half = 0; half < 2; ++half) {
    const long long row = 16ll * blockIdx.x + 8 * half + y, col = 8ll * blockIdx.y + x;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
  }
}
