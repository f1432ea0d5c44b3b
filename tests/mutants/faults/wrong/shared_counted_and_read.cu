// Counts of atomics are read without a barrier.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int bins[16];
  int t = threadIdx.x;
  if (t < 16) bins[t] = 0;
  __syncthreads();
  atomicAdd(bins + in[t] % 16, 1);  // FAULT shared-race
  if (t < 16) out[t] = bins[t];  // FAULT shared-race
}
