// A float4 that begins in its array and ends in the next one.
// launch: 1 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ alignas(16) int a[36 - 2];
  __shared__ int next[4];
  if (threadIdx.x < 4) next[threadIdx.x] = 7;
  for (int k = threadIdx.x; k < 34; k += 32) a[k] = in[k];
  __syncthreads();
  if (threadIdx.x < 9) {
    int4 v = *(int4*)(a + 4 * threadIdx.x);  // FAULT out-of-bounds
    out[threadIdx.x] = v.x + v.y;
    out[64 + threadIdx.x] = v.z + v.w + next[0];
  }
}
