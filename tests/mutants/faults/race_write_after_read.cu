// Fault: overwrites what another warp may still have to read
// shape: 32x32
// code: shared-race
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float line[256];
  const int thread = threadIdx.y * 32 + threadIdx.x;
  line[thread] = in[thread];
  __syncthreads();
  const float other = line[255 - thread];  // <-- here
  line[thread] = other + 1;  // <-- here
  __syncthreads();
  out[thread] = line[thread];
}
