// A reduction that forgets the barrier before its first step.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int sums[128];
  sums[threadIdx.x] = in[threadIdx.x];  // FAULT shared-race
  for (int half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half)
      sums[threadIdx.x] += sums[threadIdx.x + half];  // FAULT shared-race
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = sums[0];
}
