// Counts of atomics are read behind a barrier.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int bins[16];
  int t = threadIdx.x;
  if (t < 16) bins[t] = 0;
  __syncthreads();
  atomicAdd(bins + in[t] % 16, 1);
  __syncthreads();
  if (t < 16) out[t] = bins[t];
}
