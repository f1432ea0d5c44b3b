// The writer fences, the reader does not.
// launch: 2 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    out[100] = 42;  // FAULT global-race
    __threadfence();
    atomicExch(out, 1);
  } else {
    while (atomicAdd(out, 0) == 0) {}
    out[200] = out[100];  // FAULT global-race
  }
}
