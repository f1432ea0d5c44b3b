// Halos are written and read in one launch.
// launch: 4 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int* edge = out + 1024;
  int i = blockIdx.x * 64 + threadIdx.x;
  if (threadIdx.x == 63) edge[blockIdx.x] = in[i];  // FAULT global-race
  __syncthreads();
  int left = threadIdx.x == 0 && blockIdx.x > 0 ? edge[blockIdx.x - 1] : 0;  // FAULT global-race
  out[i] = in[i] + left;
}
