// One thread takes the lock, the block works, one thread gives it back.
// launch: 4 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x == 0) {
    while (atomicCAS(out, 0, 1) != 0) {}
    __threadfence();
  }
  __syncthreads();
  out[64 + threadIdx.x] += in[blockIdx.x * 64 + threadIdx.x];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(out, 0);
}
