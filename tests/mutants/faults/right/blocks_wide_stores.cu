// Sixteen bytes per thread.
// launch: 4 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = blockIdx.x * 32 + threadIdx.x;
  ((int4*)out)[i] = ((const int4*)in)[i];
}
