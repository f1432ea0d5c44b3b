// A worklist whose length is counted without an atomic.
// launch: 4 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (in[i] % 3 == 0) {
    int at = out[0];  // FAULT global-race
    out[0] = at + 1;  // FAULT global-race
    out[1 + at] = in[i];  // FAULT global-race
  }
}
