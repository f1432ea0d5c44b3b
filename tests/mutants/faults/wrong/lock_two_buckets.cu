// Each bucket has a lock, and its neighbour is changed under it as well.
// launch: 1 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int key = threadIdx.x % 4;
  while (atomicCAS(out + 64 + key, 0, 1) != 0) {
  }
  __threadfence();
  out[key] += in[threadIdx.x];  // FAULT global-race
  if (key > 0) out[key - 1] += 1;  // FAULT global-race
  __threadfence();
  atomicExch(out + 64 + key, 0);
}
