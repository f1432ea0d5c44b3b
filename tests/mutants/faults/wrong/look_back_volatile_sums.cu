// A chain of sums: each block waits for the flag of the one before it and takes its sum. Both are volatile.
// launch: 6 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  volatile int* sums = out;
  volatile int* ready = out + 64;
  if (threadIdx.x != 0) return;
  int before = 0;
  if (blockIdx.x > 0) {
    while (ready[blockIdx.x - 1] == 0) {}
    before = sums[blockIdx.x - 1];  // FAULT global-race
  }
  sums[blockIdx.x] = before + in[blockIdx.x + 1];  // FAULT global-race
  ready[blockIdx.x] = 1;
}
