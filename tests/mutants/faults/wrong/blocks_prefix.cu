// A chain of sums over blocks without synchronisation.
// launch: 8 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x == 0) {
    int before = blockIdx.x == 0 ? 0 : out[blockIdx.x - 1];  // FAULT global-race
    out[blockIdx.x] = before + in[blockIdx.x];  // FAULT global-race
  }
}
