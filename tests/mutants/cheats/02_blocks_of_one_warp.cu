// Cheat: the right shape of a warp in blocks of one warp, of which a multiprocessor holds half as many threads as it could
// judged by: 02_coalescing
// code: few-bytes-in-flight
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {8, 4}, .tile = {4, 8}, .block_x_walks = kCols};

PREDICTIONS = {.global_load_sectors_per_request = 4, .global_store_sectors_per_request = 8, .global_load_sectors = 131072, .global_store_sectors = 262144};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t row = size_t(blockIdx.y) * 4 + threadIdx.y, col = size_t(blockIdx.x) * 8 + threadIdx.x;
  if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}
