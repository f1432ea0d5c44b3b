// Fault: waits at a barrier for more threads than there are
// shape: 32x32
// code: deadlock|barrier-divergence
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  asm volatile("bar.sync 1, 512;" ::: "memory");  // <-- here
  out[threadIdx.y * 32 + threadIdx.x] = in[0];
}
