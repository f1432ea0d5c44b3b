// A histogram without atomics.
// launch: 8 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[in[i] % 16] += 1;  // FAULT global-race
}
