// A result per block, side by side.
// launch: 64 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x == 0) out[blockIdx.x] = in[blockIdx.x] + 1;
}
