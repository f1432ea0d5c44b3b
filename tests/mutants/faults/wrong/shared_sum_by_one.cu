// One thread sums what all have written, as in compute-sanitizer's sample.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int smem[128];
  int tx = threadIdx.x;
  smem[tx] = in[tx] + tx;  // FAULT shared-race
  if (tx == 0) {
    int sum = 0;
    for (int i = 0; i < 128; ++i) sum += smem[i];  // FAULT shared-race
    out[0] = sum;
  }
}
