// A scan in place with two barriers for each step.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int sums[128];
  int t = threadIdx.x;
  sums[t] = in[t];
  for (int k = 1; k < 128; k *= 2) {
    __syncthreads();
    int more = t >= k ? sums[t - k] : 0;
    __syncthreads();
    sums[t] += more;
  }
  out[t] = sums[t];
}
