// A barrier over all blocks, by hand.
// launch: 4 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  out[64 + i] = in[i];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(out, 1);
    while (atomicAdd(out, 0) != 4) {}
    __threadfence();
  }
  __syncthreads();
  in[i] = out[64 + (i + 64) % 256];
}
