// A bulk copy is 16 bytes longer than its array, and lands in the next one.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ alignas(128) int tile[64];
  __shared__ alignas(16) int next[64];
  __shared__ Mbarrier bar;
  next[threadIdx.x] = threadIdx.x;
  fence_async();
  if (threadIdx.x == 0) init_mbarrier(&bar, 1);
  __syncthreads();
  if (threadIdx.x == 0) load_bulk(tile, in, 272, &bar);  // FAULT out-of-bounds
  wait_phase(&bar, 0);
  out[threadIdx.x] = tile[63 - threadIdx.x] + next[threadIdx.x];
}
