// Blocks are 63 elements apart and 64 wide.
// launch: 8 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = blockIdx.x * 63 + threadIdx.x;
  out[i] = in[i] + blockIdx.x;  // FAULT global-race
}
