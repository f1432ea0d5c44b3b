// All threads of a block count in one word.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  out[0] = out[0] + in[threadIdx.x];  // FAULT global-race
}
