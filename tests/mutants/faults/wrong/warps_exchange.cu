// Two warps exchange values through global memory, without a barrier.
// launch: 2 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];  // FAULT global-race
  in[i] = out[i ^ 32];  // FAULT global-race
}
