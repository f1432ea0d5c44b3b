// A lock is freed before the last write.
// launch: 4 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(out, 0, 1) != 0) {}
  __threadfence();
  int old = out[1];  // FAULT global-race
  __threadfence();
  atomicExch(out, 0);
  out[1] = old + in[blockIdx.x] + 1;  // FAULT global-race
}
