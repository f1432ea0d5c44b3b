// All lanes write different values to one word.
// launch: 1 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  out[3] = in[threadIdx.x];  // FAULT global-race
}
