// __syncwarp where warps exchange.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];  // FAULT shared-race
  __syncwarp();
  out[threadIdx.x] = tile[63 - threadIdx.x];  // FAULT shared-race
}
