// An unwritten index.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int order[64];
  int t = threadIdx.x;
  if (t % 2 == 0) order[t] = t / 2;
  __syncthreads();
  out[t] = in[order[t] & 63];  // FAULT uninitialised-shared
}
