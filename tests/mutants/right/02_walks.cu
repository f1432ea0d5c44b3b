// Right: each warp walks four places
// judged by: 02_coalescing
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 4}, .tile = {64, 64}, .block_x_walks = kCols};
PREDICTIONS = {.global_load_sectors_per_request = 4, .global_store_sectors_per_request = 8, .global_load_sectors = 131072, .global_store_sectors = 262144};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t row0 = blockIdx.y * size_t(64), col0 = blockIdx.x * size_t(64);
  for (int k = threadIdx.y; k < 128; k += 4) {
    const size_t row = row0 + k / 8 * 4 + threadIdx.x / 8, col = col0 + k % 8 * 8 + threadIdx.x % 8;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
  }
}
