// No barrier between shared store and load.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[128];
  tile[threadIdx.x] = in[threadIdx.x];  // FAULT shared-race
  out[threadIdx.x] = tile[127 - threadIdx.x];  // FAULT shared-race
}
