// Pairs of warps exchange behind barriers of their own.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = threadIdx.x, pair = threadIdx.x / 64;
  out[i] = in[i];
  named_barrier(1 + pair, 64);
  in[i] = out[i ^ 32];
}
