// A barrier of two warps, and the third one writes too.
// launch: 1 96
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[96];
  tile[threadIdx.x] = in[threadIdx.x];  // FAULT shared-race
  if (threadIdx.x < 64) {
    named_barrier(1, 64);
    out[threadIdx.x] = tile[threadIdx.x + 32];  // FAULT shared-race
  }
}
