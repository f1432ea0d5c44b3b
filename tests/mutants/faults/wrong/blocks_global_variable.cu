// A variable of the module as a counter.
// launch: 8 64
#include "../words.h"

__device__ int counter;

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x == 0) {
    int at = counter;  // FAULT global-race
    counter = at + 1;  // FAULT global-race
    out[at] = blockIdx.x;
  }
}
