// Blocks add to one word, read on one line and stored on another.
// launch: 8 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x != 0) return;
  const int before = out[0];                      // FAULT global-race
  out[0] = before + in[blockIdx.x * blockDim.x];  // FAULT global-race
}
