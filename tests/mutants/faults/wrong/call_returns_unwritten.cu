// What a function that is not inlined returns comes from unwritten memory, and becomes an index.
// launch: 1 64
#include "../words.h"

__shared__ int tile[64];

__device__ __noinline__ int element(int k) { return tile[k]; }  // FAULT uninitialised-shared

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int t = threadIdx.x;
  if (t % 2 == 0) tile[t] = in[t];
  __syncthreads();
  out[t] = in[element(t) & 63];
}
