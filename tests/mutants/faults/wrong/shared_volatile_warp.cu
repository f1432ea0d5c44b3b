// The old way to sum a warp: volatile in place of __syncwarp.
// launch: 1 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ volatile int sums[64];
  sums[threadIdx.x] = in[threadIdx.x];  // FAULT missing-syncwarp
  sums[threadIdx.x + 32] = 0;
  sums[threadIdx.x] += sums[threadIdx.x + 16];  // FAULT missing-syncwarp
  sums[threadIdx.x] += sums[threadIdx.x + 8];  // FAULT missing-syncwarp
  out[threadIdx.x] = sums[threadIdx.x];
}
