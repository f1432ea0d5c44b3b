// A scan in place with one barrier for each step.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int sums[128];
  int t = threadIdx.x;
  sums[t] = in[t];
  for (int k = 1; k < 128; k *= 2) {
    __syncthreads();
    if (t >= k) sums[t] += sums[t - k];  // FAULT shared-race
  }
  out[t] = sums[t];
}
