// Who writes puts a fence between data and flag, who reads does not; all warps of the block read.
// launch: 2 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  volatile int* data = out + 64;
  if (blockIdx.x == 0) {
    data[threadIdx.x] = in[threadIdx.x];  // FAULT global-race
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(out, 1);
  } else {
    while (*(volatile int*)out == 0) {}
    out[256 + threadIdx.x] = data[63 - threadIdx.x];  // FAULT global-race
  }
}
