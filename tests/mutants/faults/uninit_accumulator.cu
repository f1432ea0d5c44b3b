// Fault: adds to a shared sum that starts with nothing
// shape: 32x32
// code: uninitialised-shared
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float sum;
  atomicAdd(&sum, in[threadIdx.y * 32 + threadIdx.x]);  // <-- here
  __syncthreads();
  if (threadIdx.x + threadIdx.y == 0) out[0] = sum;
}
