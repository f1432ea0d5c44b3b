// Copies arrive at an mbarrier; one thread waits for the phase, and the block's barrier holds the others.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[2][64];
  __shared__ Mbarrier bar;
  int sum = 0;
  if (threadIdx.x == 0) init_mbarrier(&bar, 64);
  __syncthreads();
  for (int k = 0; k < 4; ++k) {
    copy_async(&tile[k % 2][threadIdx.x], in + 64 * k + threadIdx.x);
    copies_arrive(&bar);
    if (threadIdx.x == 32) wait_phase(&bar, k % 2);
    __syncthreads();
    sum += tile[k % 2][63 - threadIdx.x];
  }
  out[threadIdx.x] = sum;
}
