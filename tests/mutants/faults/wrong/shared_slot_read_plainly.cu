// Each thread that has something reads where the list ends, and then moves the end on by an atomic.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int list[64], count;
  const int t = threadIdx.x;
  list[t] = 0;
  if (t == 0) count = 0;
  __syncthreads();
  if (t % 32 == 0) {
    const int slot = count;  // FAULT shared-race
    list[slot] = in[t];
    atomicAdd(&count, 1);  // FAULT shared-race
  }
  __syncthreads();
  out[t] = list[t];
}
