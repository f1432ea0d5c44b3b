// A plain store into a slot that a copy is filling.
// launch: 1 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[32];
  copy_async(tile + threadIdx.x, in + threadIdx.x);
  commit_async();
  tile[threadIdx.x] = 3;  // FAULT shared-race
  wait_async();
  out[threadIdx.x] = tile[threadIdx.x];
}
