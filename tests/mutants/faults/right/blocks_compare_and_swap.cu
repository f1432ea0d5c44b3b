// A maximum by compare and swap.
// launch: 8 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int old = *out;
  while (old < in[i]) {
    int assumed = old;
    old = atomicCAS(out, assumed, in[i]);
    if (old == assumed) break;
  }
}
