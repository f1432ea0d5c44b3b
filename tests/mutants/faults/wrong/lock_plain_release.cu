// The lock is given back by a plain store.
// launch: 4 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x == 0) {
    while (atomicCAS(out, 0, 1) != 0) {}  // FAULT global-race
    __threadfence();
    out[1] += in[blockIdx.x];  // FAULT global-race
    __threadfence();
    out[0] = 0;  // FAULT global-race
  }
}
