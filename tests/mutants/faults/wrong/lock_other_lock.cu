// Two locks for one counter.
// launch: 4 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x != 0) return;
  int* lock = out + blockIdx.x % 2;
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  out[2] += in[blockIdx.x];  // FAULT global-race
  __threadfence();
  atomicExch(lock, 0);
}
