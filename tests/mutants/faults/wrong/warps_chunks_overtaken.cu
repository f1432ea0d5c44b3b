// A block takes chunks by a number in global memory. Thread 0 stores the next one while others still read the last.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int* const head = out;
  int* const chunk = out + 1;
  const int t = threadIdx.x;
  if (t == 0) *chunk = atomicAdd(head, 128);
  __syncthreads();
  int mine = *chunk;
  while (mine < 1024) {
    if (in[mine + t] > 7) {
      in[mine + t] += 1;
    }
    if (t == 0) {
      *chunk = atomicAdd(head, 128);  // FAULT global-race
    }
    __syncthreads();
    mine = *chunk;
  }
}
