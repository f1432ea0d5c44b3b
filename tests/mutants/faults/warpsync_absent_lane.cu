// Fault: shuffles with a full mask in a branch that half of the warp takes
// shape: 32x32
// code: warp-sync|deadlock
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 1}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  float v = in[threadIdx.x];
  if (threadIdx.x < 16) {
    v = __shfl_down_sync(0xffffffffu, v, 1);  // <-- here
    out[threadIdx.x] = v;
  } else {
    out[threadIdx.x] = v * 2;
  }
}
