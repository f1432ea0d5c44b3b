// Fault: takes the size as one number
// shape: 64x64
// code: invalid-launch
// says: rows
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int n) {
  const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  const size_t col = blockIdx.x * blockDim.x + threadIdx.x;
  const int cols = n / 8;
  if (row < 8 && col < cols) out[col * 8 + row] = in[row * cols + col];
}
