// The value that the atomic returns is the slot.
// launch: 4 32
#include "../words.h"

__device__ int ends;

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x != 0) return;
  const int slot = atomicAdd(&ends, 1);
  out[slot] = in[blockIdx.x];
}
