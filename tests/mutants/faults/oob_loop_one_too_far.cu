// Fault: a loop with <= where < was meant
// shape: 8x64
// code: out-of-bounds
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 64}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && threadIdx.x == 0) {
    float sum = 0;
    for (int c = 0; c <= cols; ++c) sum += in[row * cols + c];  // <-- here
    out[row] = sum;
  }
}
