// Right: a flat block of 256: warps of 4 by 8 cut out by shifts, four elements of a thread far apart
// judged by: 02_coalescing
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {256, 1}, .tile = {64, 16}, .block_x_walks = kRows};

PREDICTIONS = {.global_load_sectors_per_request = 4, .global_store_sectors_per_request = 8, .global_load_sectors = 131072, .global_store_sectors = 262144};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int k = 0; k < 4; ++k) {
    const size_t row = size_t(blockIdx.x) * 64 + k * 16 + warp / 2 * 4 + lane / 8, col = size_t(blockIdx.y) * 16 + warp % 2 * 8 + lane % 8;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
  }
}
