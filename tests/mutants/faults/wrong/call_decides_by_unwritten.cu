// An unwritten word of shared memory goes to a function that is not inlined, which decides by it.
// launch: 1 64
#include "../words.h"

__device__ __noinline__ int sign(int x) { return x < 0 ? -1 : 1; }

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  if (t < 60) tile[t] = in[t];
  __syncthreads();
  out[t] = sign(tile[t]);  // FAULT uninitialised-shared
}
