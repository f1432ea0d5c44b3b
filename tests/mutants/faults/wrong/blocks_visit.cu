// A search marks elements and reads the marks of the neighbours.
// launch: 8 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] % 64 == 0 || out[i - 1] == i)  // FAULT global-race
    out[i + 64] = i + 1;  // FAULT global-race
}
