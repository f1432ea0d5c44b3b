// Fault: a tree reduction without a barrier between its steps
// shape: 32x32
// code: shared-race|missing-syncwarp
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float sums[256];
  const int thread = threadIdx.y * 32 + threadIdx.x;
  sums[thread] = in[thread];
  __syncthreads();
#pragma unroll 1
  for (int half = 128; half > 0; half /= 2) {
    if (thread < half) sums[thread] += sums[thread + half];  // <-- here
  }
  if (thread == 0) out[0] = sums[0];
}
