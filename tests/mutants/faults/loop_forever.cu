// Fault: a loop without an end
// shape: 8x32
// code: budget-exceeded|deadlock
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  const size_t col = blockIdx.x * blockDim.x + threadIdx.x;
  volatile float* to = out;
  while (true) to[row * cols + col] = in[0];  // <-- here
}
