// Fault: reads the neighbour's element, which belongs to another warp, before the barrier
// shape: 32x32
// code: shared-race|uninitialised-shared
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float line[257];
  const int thread = threadIdx.y * 32 + threadIdx.x;
  line[thread] = in[thread];
  if (thread == 0) line[256] = 0;
  __syncwarp();
  const float next = line[thread + 1];  // <-- here
  __syncthreads();
  out[thread] = next;
}
