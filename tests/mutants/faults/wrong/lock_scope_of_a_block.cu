// A lock between blocks whose atomics are those of a block.
// launch: 4 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x != 0) return;
  while (atomicCAS_block(out, 0, 1) != 0) {}  // FAULT global-race
  __threadfence();
  out[1] += in[blockIdx.x];  // FAULT global-race
  __threadfence();
  atomicExch_block(out, 0);  // FAULT global-race
}
