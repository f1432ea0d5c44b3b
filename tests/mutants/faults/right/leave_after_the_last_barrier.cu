// Threads leave behind the last barrier.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x >= 60) return;
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
