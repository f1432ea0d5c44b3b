#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 32}, .tile = {1, 1}, .block_x_walks = kCols};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t row = blockIdx.y, col = blockIdx.x;
  for (int i = 0; i < 4096; ++i) {
    if (row < rows && col < cols) out[col * rows + row] = *(volatile const float*)&in[row * cols + col];
  }
}
