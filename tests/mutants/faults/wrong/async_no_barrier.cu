// The wait is there, the barrier is not.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[64];
  copy_async(tile + threadIdx.x, in + threadIdx.x);
  commit_async();
  wait_async();  // FAULT shared-race
  out[threadIdx.x] = tile[63 - threadIdx.x];  // FAULT shared-race
}
