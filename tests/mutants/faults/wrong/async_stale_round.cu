// The second round reads what the first one left.
// launch: 1 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[32];
  for (int k = 0; k < 2; ++k) {
    copy_async(tile + threadIdx.x, in + k * 32 + threadIdx.x);
    commit_async();
    if (k == 0) wait_async();
    out[k * 32 + threadIdx.x] = tile[threadIdx.x];  // FAULT shared-race
  }
  wait_async();
}
