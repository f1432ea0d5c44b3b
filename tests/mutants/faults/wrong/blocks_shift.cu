// Each element moves one to the right, in place.
// launch: 8 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = in[i];  // FAULT global-race
  __syncthreads();
  in[i + 1] = value;  // FAULT global-race
}
