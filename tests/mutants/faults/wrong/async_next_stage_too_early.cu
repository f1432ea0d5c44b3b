// The next copy overwrites a stage that other threads still read.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[64];
  for (int k = 0; k < 2; ++k) {
    copy_async(tile + threadIdx.x, in + k * 64 + threadIdx.x);  // FAULT shared-race
    commit_async();
    wait_async();  // FAULT shared-race
    __syncthreads();
    out[k * 64 + threadIdx.x] = tile[63 - threadIdx.x];  // FAULT shared-race
  }
}
