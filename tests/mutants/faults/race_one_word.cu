// Fault: all threads write one word
// shape: 32x32
// code: shared-race|missing-syncwarp
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ volatile float last;
  last = in[threadIdx.y * 32 + threadIdx.x];  // <-- here
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = last;
}
