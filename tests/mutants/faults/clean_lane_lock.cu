// Right: lanes of one warp take a lock in turn: each makes progress
// shape: 32x32
// code: none
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ int lock, sum;
  if (threadIdx.x + threadIdx.y == 0) lock = sum = 0;
  __syncthreads();
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      atomicAdd(&sum, 1);
      atomicExch(&lock, 0);
      done = true;
    }
  }
  __syncthreads();
  const int x = threadIdx.x, y0 = threadIdx.y;
  for (int y = y0; y < 32; y += 8) reinterpret_cast<int*>(out)[y * 32 + x] = reinterpret_cast<const int*>(in)[x * 32 + y] + int(sum - 256);
}
