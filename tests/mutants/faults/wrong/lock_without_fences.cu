// A lock between blocks whose critical section is not fenced.
// launch: 4 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x == 0) {
    while (atomicCAS(out, 0, 1) != 0) {}
    out[1] += in[blockIdx.x];  // FAULT global-race
    atomicExch(out, 0);
  }
}
