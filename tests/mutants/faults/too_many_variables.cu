// Fault: variables of sixteen gigabytes, four at a time
// shape: 64x64
// code: too-much-memory
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};

__device__ float lookup[4][1ull << 30];

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  const size_t col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows || col >= cols) return;
  lookup[row % 4][col] = in[row * cols + col];  // <-- here
  out[col * rows + row] = lookup[row % 4][col];
}
