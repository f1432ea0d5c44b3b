// The same, but what stood there decides.
// launch: 2 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int best[32];
  int before = atomicExch(&best[threadIdx.x % 32], 7);  // FAULT uninitialised-shared
  if (before == 3) out[blockIdx.x * 64 + threadIdx.x] = in[threadIdx.x];
}
