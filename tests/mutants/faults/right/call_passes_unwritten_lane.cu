// An unwritten word goes through functions that are not inlined, and comes of it nothing.
// launch: 1 64
#include "../words.h"

__device__ __noinline__ int same(int x) { return x; }
__device__ __noinline__ int chosen(int x, bool has) { return has ? x : 0; }

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  if (t < 60) tile[t] = in[t];
  __syncthreads();
  out[t] = chosen(same(tile[t]), t < 60);
}
