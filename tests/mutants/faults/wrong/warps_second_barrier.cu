// Written, barrier, read, and written again without one.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  out[threadIdx.x] = in[threadIdx.x];  // FAULT global-race
  __syncthreads();
  int other = out[127 - threadIdx.x];  // FAULT global-race
  out[threadIdx.x] = other + 1;  // FAULT global-race
}
