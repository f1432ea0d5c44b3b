// Blocks that have a row sum it up by a tree, which begins before the parts are there.
// launch: 4 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int part[128];
  const int t = threadIdx.x;
  part[t] = 0;
  if (blockIdx.x < n / 256) {
    __syncthreads();
    part[t] = in[blockIdx.x * 128 + t];  // FAULT shared-race
    for (int step = 64; step > 0; step >>= 1) {
      if (t < step) {
        part[t] += part[t + step];  // FAULT shared-race
      }
      __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
  }
}
