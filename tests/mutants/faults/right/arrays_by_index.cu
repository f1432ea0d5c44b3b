// One of two arrays, chosen by the thread.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int first[64];
  __shared__ int second[64];
  first[threadIdx.x] = in[threadIdx.x];
  second[threadIdx.x] = -in[threadIdx.x];
  __syncthreads();
  int* chosen = in[threadIdx.x] % 2 == 0 ? first : second;
  out[threadIdx.x] = chosen[63 - threadIdx.x];
}
