// Two stages, and the wait lets both be on their way.
// launch: 1 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[2][32];
  tile[0][threadIdx.x] = tile[1][threadIdx.x] = 7;
  for (int k = 0; k < 2; ++k) {
    copy_async(&tile[k][threadIdx.x], in + k * 32 + threadIdx.x);
    commit_async();
  }
  wait_async_but<2>();
  out[threadIdx.x] = tile[0][threadIdx.x];  // FAULT shared-race
  wait_async();
}
