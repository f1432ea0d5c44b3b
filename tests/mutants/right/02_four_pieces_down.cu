// Right: a line of threads takes four pieces, one below the other
// judged by: 02_coalescing
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {256, 1}, .tile = {128, 8}, .block_x_walks = kCols};
PREDICTIONS = {.global_load_sectors_per_request = 4, .global_store_sectors_per_request = 8, .global_load_sectors = 131072, .global_store_sectors = 262144};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {

  const size_t col = size_t(blockIdx.x) * 8 + threadIdx.x % 8;
  for (int k = 0; k < 4; ++k) {
    const size_t row = size_t(blockIdx.y) * 128 + 32 * k + threadIdx.x / 8;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
  }
}
