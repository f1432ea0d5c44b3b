// Exchange through global memory with a barrier.
// launch: 2 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
  __syncthreads();
  int other = out[i ^ 32];
  __syncthreads();
  out[i] = other;
}
