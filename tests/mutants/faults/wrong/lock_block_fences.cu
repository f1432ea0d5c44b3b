// The same with fences of a block.
// launch: 4 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x == 0) {
    while (atomicCAS(out, 0, 1) != 0) {}
    __threadfence_block();
    out[1] += in[blockIdx.x];  // FAULT global-race
    __threadfence_block();
    atomicExch(out, 0);
  }
}
