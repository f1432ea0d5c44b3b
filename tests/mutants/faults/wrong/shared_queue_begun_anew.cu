// The queue of a block begins anew while others still read its length (HeCBench issue 264).
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int length, queue[128];
  const int t = threadIdx.x;
  int seen = 0;
  for (int round = 0; round < 4; ++round) {
    if (t == 0) length = 0;  // FAULT shared-race
    __syncthreads();
    if ((in[t] + round) % 3 == 0) queue[atomicAdd(&length, 1)] = t;
    __syncthreads();
    for (int k = t; k < length; k += 128) seen += queue[k];  // FAULT shared-race
  }
  atomicAdd(out, seen);
}
