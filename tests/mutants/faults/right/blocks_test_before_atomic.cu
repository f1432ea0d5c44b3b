// A plain test spares most atomics.
// launch: 8 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (out[0] < in[i]) atomicMax(out, in[i]);  // NOTE line 7
}
