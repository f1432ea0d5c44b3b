// Fault: a number taken for an address
// shape: 64x64
// code: out-of-bounds
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  const size_t col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows && col < cols) {
    out[col * rows + row] = *reinterpret_cast<const float*>(size_t{0x7fff12345678} / 8 * 8 + 4 * col);  // <-- here
  }
}
