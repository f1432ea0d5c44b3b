// Fault: the last steps of a reduction, as one wrote them before Volta
// shape: 32x32
// code: missing-syncwarp
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ volatile float sums[64];
  const int thread = threadIdx.x;
  if (threadIdx.y == 0) {
    sums[thread] = in[thread];
    sums[thread + 32] = in[thread + 32];
    __syncwarp();
    sums[thread] = sums[thread] + sums[thread + 16];  // <-- here
    sums[thread] = sums[thread] + sums[thread + 8];
    if (thread == 0) out[0] = sums[0];
  }
}
