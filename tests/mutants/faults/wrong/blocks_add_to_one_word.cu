// A sum that every block adds to without an atomic.
// launch: 8 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x == 0)
    out[0] += in[blockIdx.x];  // FAULT global-race
}
