// Fault: reads from a lane outside of the mask
// shape: 32x32
// code: warp-sync
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 1}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  float v = in[threadIdx.x];
  if (threadIdx.x < 16) {
    v = __shfl_sync(0x0000ffffu, v, 20);  // <-- here
  }
  out[threadIdx.x] = v;
}
