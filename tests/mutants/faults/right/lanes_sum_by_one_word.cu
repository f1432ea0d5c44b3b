// Lanes of one warp add to one word by an atomic.
// launch: 1 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  const int t = threadIdx.x;
  for (int k = 0; k <= t; ++k) {
    atomicAdd(out, in[k]);
  }
}
