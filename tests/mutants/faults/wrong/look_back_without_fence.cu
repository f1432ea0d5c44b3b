// Each block waits for the one before it, and nothing is fenced.
// launch: 4 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x == 0) {
    volatile int* state = out;
    int sum = in[blockIdx.x];
    if (blockIdx.x > 0) {
      while (state[blockIdx.x - 1] == 0) {}
      sum += out[64 + blockIdx.x - 1];  // FAULT global-race
    }
    out[64 + blockIdx.x] = sum;  // FAULT global-race
    state[blockIdx.x] = 1;
  }
}
