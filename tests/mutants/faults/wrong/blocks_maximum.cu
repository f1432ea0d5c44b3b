// A maximum by test and store.
// launch: 8 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] > out[0])  // FAULT global-race
    out[0] = in[i];  // FAULT global-race
}
