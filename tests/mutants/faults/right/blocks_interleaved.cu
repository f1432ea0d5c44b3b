// Elements of all blocks alternate.
// launch: 8 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  out[threadIdx.x * 8 + blockIdx.x] = in[threadIdx.x * 8 + blockIdx.x];
}
