// All read one row.
// launch: 8 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  out[blockIdx.x * 64 + threadIdx.x] = in[threadIdx.x] + in[63 - threadIdx.x];
}
