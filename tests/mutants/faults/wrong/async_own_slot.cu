// A thread reads the slot that its copy fills, before the wait.
// launch: 1 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[32];
  tile[threadIdx.x] = 7;
  copy_async(tile + threadIdx.x, in + threadIdx.x);
  commit_async();
  out[threadIdx.x] = tile[threadIdx.x];  // FAULT shared-race
  wait_async();
}
