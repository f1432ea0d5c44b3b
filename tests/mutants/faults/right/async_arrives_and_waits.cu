// Copies arrive at an mbarrier that is never read; each thread waits for its own.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[64];
  __shared__ Mbarrier bar;
  if (threadIdx.x == 0) init_mbarrier(&bar, 64);
  __syncthreads();
  copy_async(tile + threadIdx.x, in + threadIdx.x);
  copies_arrive(&bar);
  wait_async();
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
