// Breadth first: a level is set to what came first.
// launch: 4 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  int next = (i * 5 + 1) % 128;
  if (out[next] == 0) {  // FAULT global-race
    out[next] = 1 + i;  // FAULT global-race
  }
}
