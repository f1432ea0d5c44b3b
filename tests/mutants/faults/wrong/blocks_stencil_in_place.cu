// A stencil that writes the buffer it reads: blocks meet at their edges.
// launch: 8 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int left = in[i - 1], right = in[i + 1];  // FAULT global-race
  __syncthreads();
  in[i] = left + right;  // FAULT global-race
}
