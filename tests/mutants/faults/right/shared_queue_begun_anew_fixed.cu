// As wrong/shared_queue_begun_anew, with what was missing.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int length, queue[128];
  const int t = threadIdx.x;
  int seen = 0;
  for (int round = 0; round < 4; ++round) {
    if (t == 0) length = 0;
    __syncthreads();
    if ((in[t] + round) % 3 == 0) queue[atomicAdd(&length, 1)] = t;
    __syncthreads();
    for (int k = t; k < length; k += 128) seen += queue[k];
    __syncthreads();
  }
  atomicAdd(out, seen);
}
