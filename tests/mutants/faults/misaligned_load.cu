// Fault: a float4 that starts on the second element
// shape: 64x64
// code: misaligned
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  const size_t col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows && col < cols) {
    const float4 v = *reinterpret_cast<const float4*>(&in[1 + 4 * (row + col) % 64]);  // <-- here
    out[col * rows + row] = v.x + v.y + v.z + v.w;  // <-- here
  }
}
