// Fault: lanes go through the loop with the barrier a different number of times
// shape: 32x32
// code: barrier-divergence
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float line[256];
  const int thread = threadIdx.y * 32 + threadIdx.x;
  line[thread] = in[thread];
#pragma unroll 1
  for (unsigned pass = 0; pass <= threadIdx.x % 4; ++pass) __syncthreads();  // <-- here
  out[thread] = line[thread];
}
