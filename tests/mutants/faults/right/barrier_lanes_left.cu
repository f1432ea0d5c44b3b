// Some lanes leave before the barrier that the others reach: a thread that has exited releases it.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x >= 60) return;
  out[threadIdx.x] = in[threadIdx.x];
  __syncthreads();  // NOTE line 8
  in[threadIdx.x] = out[59 - threadIdx.x];
}
