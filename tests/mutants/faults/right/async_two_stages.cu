// Two stages in turn.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[2][64];
  copy_async(&tile[0][threadIdx.x], in + threadIdx.x);
  commit_async();
  for (int k = 0; k < 4; ++k) {
    if (k < 3) copy_async(&tile[(k + 1) % 2][threadIdx.x], in + (k + 1) * 64 + threadIdx.x);
    commit_async();
    wait_async_but<1>();
    __syncthreads();
    out[k * 64 + threadIdx.x] = tile[k % 2][63 - threadIdx.x];
    __syncthreads();
  }
}
