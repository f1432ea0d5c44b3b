// Rows of 61 elements: blocks share lines, not elements.
// launch: 8 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x < 61) out[blockIdx.x * 61 + threadIdx.x] = in[blockIdx.x * 61 + threadIdx.x];
}
