// The next chunk is read before a barrier: threads that read the old one turn back, the others wait for them.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int* const head = out;
  int* const chunk = out + 1;
  const int t = threadIdx.x;
  if (t == 0) *chunk = atomicAdd(head, 128);
  __syncthreads();
  int mine = *chunk;
  while (mine < 1000) {
    if (mine + t < 1000) in[mine + t] += 1;
    __syncthreads();
    if (t == 0) *chunk = atomicAdd(head, 128);
    mine = *chunk;  // FAULT global-race
    if (mine < 1000) continue;
    __syncthreads();
    if (t == 0) in[t] += 2;
  }
}
