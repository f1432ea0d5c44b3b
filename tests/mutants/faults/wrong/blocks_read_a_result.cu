// Block 0 computes what the others read in the same launch.
// launch: 8 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) out[0] = in[5] * 3;  // FAULT global-race
  if (blockIdx.x != 0) out[i] = out[0] + i;  // FAULT global-race
}
