// Cheat: 16 times the blocks, most of them outside of the matrix
// judged by: 02_coalescing
// code: idle-blocks
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {8, 32}, .tile = {8, 2}, .block_x_walks = kCols};
PREDICTIONS = {
    .global_load_sectors_per_request = 4,
    .global_store_sectors_per_request = 8,
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows && col < cols) out[col * rows + row] = __ldg(&in[row * cols + col]);
}
