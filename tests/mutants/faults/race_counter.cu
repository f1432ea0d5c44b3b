// Fault: counts with ++ instead of atomicAdd
// shape: 32x32
// code: shared-race|missing-syncwarp
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ int count;
  if (threadIdx.x + threadIdx.y == 0) count = 0;
  __syncthreads();
  if (in[threadIdx.y * 32 + threadIdx.x] != 0) count = count + 1;  // <-- here
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = float(count);
}
