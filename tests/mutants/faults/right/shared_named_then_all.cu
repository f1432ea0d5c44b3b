// Named barriers first, then one of the whole block.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[128];
  tile[threadIdx.x] = in[threadIdx.x];
  named_barrier(1 + threadIdx.x / 64, 64);
  int near = tile[threadIdx.x ^ 32];
  __syncthreads();
  out[threadIdx.x] = near + tile[127 - threadIdx.x];
}
