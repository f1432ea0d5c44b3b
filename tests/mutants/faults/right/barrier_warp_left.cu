// A whole warp leaves before the barrier: threads that have exited release it.
// launch: 1 96
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x >= 64) return;
  out[threadIdx.x] = in[threadIdx.x];
  __syncthreads();  // NOTE line 8
  in[threadIdx.x] = out[63 - threadIdx.x];
}
