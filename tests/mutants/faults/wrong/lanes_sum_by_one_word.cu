// Lanes of one warp add to one word without an atomic: no __syncwarp() fixes that.
// launch: 1 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  const int t = threadIdx.x;
  for (int k = 0; k <= t; ++k) {
    out[0] += in[k];  // FAULT global-race
  }
}
