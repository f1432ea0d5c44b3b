// The last thread sums what the others have just written.
// launch: 1 96
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  out[threadIdx.x] = in[threadIdx.x] * 2;  // FAULT global-race
  if (threadIdx.x == 95) {
    int sum = 0;
    for (int k = 0; k < 95; ++k) sum += out[k];  // FAULT global-race
    out[95] = sum;
  }
}
