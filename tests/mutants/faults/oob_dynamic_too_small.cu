// Fault: asks for half of the dynamic shared memory that it uses
// shape: 64x64
// code: out-of-bounds
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols, .dynamic_shared_bytes = 512};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  extern __shared__ float tile[];
  const int thread = threadIdx.y * 32 + threadIdx.x;
  tile[thread] = in[0];  // <-- here
  __syncthreads();
  out[thread] = tile[thread];
}
