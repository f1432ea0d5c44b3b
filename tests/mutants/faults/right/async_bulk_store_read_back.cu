// What a bulk store wrote is read behind a wait for all of it.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ alignas(128) int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    store_bulk(out, tile, 256);
    wait_bulk();
  }
  __syncthreads();
  out[64 + threadIdx.x] = out[63 - threadIdx.x];
}
