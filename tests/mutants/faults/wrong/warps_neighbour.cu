// Each thread reads its neighbour and writes itself.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int value = in[threadIdx.x + 1];  // FAULT global-race
  in[threadIdx.x] = value;  // FAULT global-race
}
