// The neighbour is mostly in the warp, once in the other one.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int row[65];
  row[threadIdx.x] = in[threadIdx.x];  // FAULT shared-race
  if (threadIdx.x == 0) row[64] = 0;
  int right = row[threadIdx.x + 1];  // FAULT shared-race
  out[threadIdx.x] = right;
}
