// The slot is read plainly and counted behind it: two threads take one slot. No test that an atomic repeats.
// launch: 4 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int slot = out[0];  // FAULT global-race
  out[64 + slot] = in[blockIdx.x * blockDim.x + threadIdx.x];  // FAULT global-race
  atomicAdd(&out[0], 1);  // FAULT global-race
}
