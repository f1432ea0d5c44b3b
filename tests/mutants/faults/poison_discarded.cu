// Fault: reads back what it has thrown out of the cache
// shape: 64x64
// code: poisoned-global
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 1}, .tile = {1, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  float* mine = out + blockIdx.y * cols + blockIdx.x * 32;
  mine[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x == 0) asm volatile("discard.global.L2 [%0], 128;" ::"l"(mine) : "memory");
  __syncwarp();
  mine[threadIdx.x] += 1;  // <-- here
}
