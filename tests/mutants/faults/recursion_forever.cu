// Fault: recursion without an end
// shape: 32x32
// code: stack-overflow
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

// Takes its array with it, so no compiler makes a loop of it.
__device__ __noinline__ int depth(int n, int step) {
  volatile int kept[8];
  kept[n & 7] = n;
  if (step == 0) return n;
  return depth(n + step, step) + kept[(n + 1) & 7] + kept[n & 7];  // <-- here
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  out[threadIdx.y * 32 + threadIdx.x] = float(depth(int(in[0]) | 1, cols));
}
