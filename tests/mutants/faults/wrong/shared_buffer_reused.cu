// The tile is overwritten while others still read it.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[128];
  for (int k = 0; k < 3; ++k) {
    tile[threadIdx.x] = in[k * 128 + threadIdx.x];  // FAULT shared-race
    __syncthreads();
    out[k * 128 + threadIdx.x] = tile[127 - threadIdx.x];  // FAULT shared-race
  }
}
