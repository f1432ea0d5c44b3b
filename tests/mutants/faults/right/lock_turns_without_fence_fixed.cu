// As wrong/lock_turns_without_fence, with what was missing.
// launch: 4 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  const int t = threadIdx.x;
  if (t == 0) {
    while (atomicAdd(out, 0) != blockIdx.x) {}
    __threadfence();
  }
  __syncthreads();
  out[64 + t] += in[t];
  __threadfence();
  __syncthreads();
  if (t == 0) atomicExch(out, blockIdx.x + 1);
}
