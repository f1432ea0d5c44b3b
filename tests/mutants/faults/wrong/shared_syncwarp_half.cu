// A __syncwarp of half the lanes, and the halves exchange.
// launch: 1 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[32];
  tile[threadIdx.x] = in[threadIdx.x];  // FAULT missing-syncwarp
  if (threadIdx.x < 16) __syncwarp(0xffff); else __syncwarp(0xffff0000);
  out[threadIdx.x] = tile[31 - threadIdx.x];  // FAULT missing-syncwarp
}
