// A worklist whose places are given out by an atomic.
// launch: 4 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (in[i] % 3 == 0) out[1 + atomicAdd(out, 1)] = in[i];
}
