// A flag announces a bulk store of which the source alone was waited for.
// launch: 2 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ alignas(128) int tile[64];
  if (blockIdx.x == 0) {
    tile[threadIdx.x] = in[threadIdx.x];
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
      store_bulk(out, tile, 256);
      wait_bulk_read();
      __threadfence();
      atomicExch(out + 1000, 1);
    }
  } else {
    if (threadIdx.x == 0) {
      while (atomicAdd(out + 1000, 0) == 0) {
      }
      __threadfence();
    }
    __syncthreads();
    out[64 + threadIdx.x] = out[63 - threadIdx.x];  // FAULT async-early
  }
}
