// Fault: a loop that forgets its step
// shape: 8x32
// code: budget-exceeded|deadlock
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  volatile float* to = out;
  int c = 0;
  while (c < cols) {
    to[row] = in[row * cols + c];  // <-- here
    if (to == nullptr) ++c;
  }
}
