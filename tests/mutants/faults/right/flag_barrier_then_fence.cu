// The announcing thread fences for all, behind the barrier.
// launch: 2 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (blockIdx.x == 0) {
    out[100 + threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicExch(out, 1);
    }
  } else {
    if (threadIdx.x == 0) {
      while (atomicAdd(out, 0) == 0) {}
      __threadfence();
    }
    __syncthreads();
    out[200 + threadIdx.x] = out[163 - threadIdx.x];
  }
}
