// The fence between data and flag reaches no further than the block (after a microbenchmark of ScoR).
// launch: 2 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  volatile int* data = out + 64;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    data[0] = 1;  // FAULT global-race
    __threadfence_block();
    atomicExch(out, 1);
  } else {
    while (atomicExch(out, 0) == 0) {}
    data[8] = data[0];  // FAULT global-race
  }
}
