// One thread computes, all read, none waits.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int total;
  if (threadIdx.x == 0) total = in[5] * 3;  // FAULT shared-race
  out[threadIdx.x] = total;  // FAULT shared-race
}
