// Two groups, each at a barrier of its own, exchange values.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];  // FAULT shared-race
  if (threadIdx.x < 32) named_barrier(1, 32); else named_barrier(2, 32);
  out[threadIdx.x] = tile[threadIdx.x ^ 32];  // FAULT shared-race
}
