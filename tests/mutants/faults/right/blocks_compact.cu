// Places are taken by an atomic, and each is written by its owner.
// launch: 8 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] % 3 == 0) out[64 + atomicAdd(out, 1)] = in[i];
}
