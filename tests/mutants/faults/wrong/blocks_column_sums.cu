// Columns are summed by all blocks, without an atomic.
// launch: 8 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  out[threadIdx.x] = out[threadIdx.x] + in[blockIdx.x * 64 + threadIdx.x];  // FAULT global-race
}
