// Each block reads where the list ends, and then moves the end on by an atomic.
// launch: 4 32
#include "../words.h"

__device__ int ends;

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x != 0) return;
  const int slot = ends;  // FAULT global-race
  out[slot] = in[blockIdx.x];
  atomicAdd(&ends, 1);  // FAULT global-race
}
