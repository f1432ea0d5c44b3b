// Rounds of a stencil: a tile is filled while it is read.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int row[130];
  int t = threadIdx.x, value = in[t];
  if (t == 0) row[0] = row[129] = 0;
  for (int round = 0; round < 4; ++round) {
    row[t + 1] = value;  // FAULT shared-race
    __syncthreads();
    value = row[t] + row[t + 2];  // FAULT shared-race
  }
  out[t] = value;
}
