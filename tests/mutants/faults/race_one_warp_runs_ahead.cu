// Fault: a barrier that one warp skips
// shape: 32x32
// code: shared-race|uninitialised-shared
// says: __syncthreads
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float line[256];
  const int thread = threadIdx.y * 32 + threadIdx.x;
  line[thread] = in[thread];
  if (threadIdx.y != 3) __syncthreads();
  out[thread] = line[255 - thread];  // <-- here
}
