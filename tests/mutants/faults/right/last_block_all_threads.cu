// All threads write and fence, one counts.
// launch: 4 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int last;
  out[64 + blockIdx.x * 64 + threadIdx.x] = in[threadIdx.x];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(out, 1) == gridDim.x - 1;
  __syncthreads();
  if (last) {
    int sum = 0;
    for (int k = 0; k < 4; ++k) sum += out[64 + k * 64 + 63 - threadIdx.x];
    out[1024 + threadIdx.x] = sum;
  }
}
