// Fault: a float4 of which only the first element exists
// shape: 1x13
// code: out-of-bounds
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 128}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  const size_t col = blockIdx.x * blockDim.x + threadIdx.x;
  const size_t first = 4 * col;
  if (row < rows && first < cols) {
    const float4 v = *reinterpret_cast<const float4*>(&in[row * cols + first]);  // <-- here
    out[first * rows + row] = v.x + v.y + v.z + v.w;  // <-- here
  }
}
