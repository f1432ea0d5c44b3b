// An item is pushed before it is written.
// launch: 4 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x == 0) {
    int at = atomicAdd(out, 1);
    out[64 + at] = blockIdx.x;  // FAULT global-race
    if (at == 3) out[1] = out[64];  // FAULT global-race
  }
}
