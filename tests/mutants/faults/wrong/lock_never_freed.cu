// The lock is never given back.
// launch: 4 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x == 0) {
    while (atomicCAS(out, 0, 1) != 0) {}  // FAULT deadlock
    __threadfence();
    out[1] = in[0];
  }
}
