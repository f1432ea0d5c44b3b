// The same chain with a fence behind the sum and one behind the wait.
// launch: 6 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  volatile int* sums = out;
  volatile int* ready = out + 64;
  if (threadIdx.x != 0) return;
  int before = 0;
  if (blockIdx.x > 0) {
    while (ready[blockIdx.x - 1] == 0) {}
    __threadfence();
    before = sums[blockIdx.x - 1];
  }
  sums[blockIdx.x] = before + in[blockIdx.x + 1];
  __threadfence();
  ready[blockIdx.x] = 1;
}
