// One scratch row for all blocks.
// launch: 8 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int* scratch = out;
  scratch[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];  // FAULT global-race
  __syncthreads();
  out[1024 + blockIdx.x * 64 + threadIdx.x] = scratch[63 - threadIdx.x];  // FAULT global-race
}
