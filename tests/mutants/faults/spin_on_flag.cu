// Fault: waits for a flag that is never set
// shape: 32x32
// code: budget-exceeded|deadlock
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ volatile int flag;
  if (threadIdx.x + threadIdx.y == 0) flag = 0;
  __syncthreads();
  while (flag == 0) {  // <-- here
  }
  out[threadIdx.y * 32 + threadIdx.x] = in[0];
}
