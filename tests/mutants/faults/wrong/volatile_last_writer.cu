// Every block leaves its number in one volatile word.
// launch: 8 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  volatile int* last = out;
  if (threadIdx.x == 0) *last = blockIdx.x + 1;  // FAULT global-race
  if (threadIdx.x == 1) atomicAdd(out + 1, 1);
}
