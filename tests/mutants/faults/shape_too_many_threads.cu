// Fault: 2,048 threads in a block
// shape: 64x64
// code: invalid-launch
// says: 1024
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {64, 32}, .tile = {32, 64}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  const size_t col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}
