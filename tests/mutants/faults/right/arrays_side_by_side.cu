// Two arrays, each within its bounds.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int first[64];
  __shared__ int second[64];
  second[threadIdx.x] = first[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = first[63 - threadIdx.x] + second[(threadIdx.x + 1) % 64];
}
