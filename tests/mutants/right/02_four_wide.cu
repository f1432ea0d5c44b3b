// Right: warps 4 wide and 8 high, eight places one after the other
// judged by: 02_coalescing
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {4, 64}, .tile = {128, 16}, .block_x_walks = kCols};
PREDICTIONS = {.global_load_sectors_per_request = 8, .global_store_sectors_per_request = 4, .global_load_sectors = 262144, .global_store_sectors = 131072};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  for (int i = 0; i < 8; ++i) {
    const size_t r = size_t(blockIdx.y) * 128 + (i % 2) * 64 + threadIdx.y, c = size_t(blockIdx.x) * 16 + (i / 2) * 4 + threadIdx.x;
    if (r < rows && c < cols) out[c * rows + r] = in[r * cols + c];
  }
}
