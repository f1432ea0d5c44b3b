// Fault: two warps write one byte
// shape: 32x32
// code: shared-race|missing-syncwarp
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ volatile unsigned char marks[128];
  const int thread = threadIdx.y * 32 + threadIdx.x;
  marks[thread / 2] = static_cast<unsigned char>(thread);  // <-- here
  __syncthreads();
  out[thread] = marks[thread / 2];
}
