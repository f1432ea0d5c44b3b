// The value that the atomic returns is the slot.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int list[64], count;
  const int t = threadIdx.x;
  list[t] = 0;
  if (t == 0) count = 0;
  __syncthreads();
  if (t % 32 == 0) {
    const int slot = atomicAdd(&count, 1);
    list[slot] = in[t];
  }
  __syncthreads();
  out[t] = list[t];
}
