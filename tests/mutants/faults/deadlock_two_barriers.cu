// Fault: two halves of the block wait at different barriers for each other
// shape: 32x32
// code: deadlock|barrier-divergence
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  if (threadIdx.y < 4) {
    asm volatile("bar.sync 1, 256;" ::: "memory");  // <-- here
  } else {
    asm volatile("bar.sync 2, 256;" ::: "memory");  // <-- here
  }
  out[threadIdx.y * 32 + threadIdx.x] = in[0];
}
