// Columns by block, rows by thread.
// launch: 16 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  out[threadIdx.x * 16 + blockIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
}
