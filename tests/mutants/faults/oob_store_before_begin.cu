// Fault: writes one element before the begin of `out`
// shape: 64x64
// code: out-of-bounds
// says: out
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  const size_t col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows && col < cols) {
    float* before = out - 1;
    before[col * rows + row] = in[row * cols + col];  // <-- here
  }
}
