// One array runs over into the other.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int first[64];
  __shared__ int second[64];
  second[threadIdx.x] = first[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = first[threadIdx.x + 1] + second[threadIdx.x];  // FAULT out-of-bounds
}
