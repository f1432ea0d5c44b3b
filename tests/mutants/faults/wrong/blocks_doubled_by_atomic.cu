// Each block doubles a number: what it adds was read before, and the atomic cannot show it.
// launch: 4 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x != 0) return;
  const int now = out[0];  // FAULT global-race
  atomicAdd(&out[0], now + 1);  // FAULT global-race
}
