// Copies arrive at an mbarrier, and only the block's barrier is waited for: it says nothing of them.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[64];
  __shared__ Mbarrier bar;
  if (threadIdx.x == 0) init_mbarrier(&bar, 64);
  __syncthreads();
  copy_async(tile + threadIdx.x, in + threadIdx.x);
  copies_arrive(&bar);
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];  // FAULT shared-race
}
