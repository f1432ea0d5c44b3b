// Fault: a float4 into a row of 61 elements
// shape: 8x61
// code: misaligned
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 64}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  if (threadIdx.x == 0 && row < rows) {
    *reinterpret_cast<float4*>(&out[row * cols]) = make_float4(in[0], 1, 2, 3);  // <-- here
  }
}
