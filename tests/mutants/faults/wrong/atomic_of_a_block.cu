// atomicAdd_block from several blocks.
// launch: 4 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x == 0) atomicAdd_block(out, in[blockIdx.x]);  // FAULT global-race
}
