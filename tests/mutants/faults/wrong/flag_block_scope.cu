// Release and acquire with the scope of a block, between blocks.
// launch: 2 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    out[100] = 42;  // FAULT global-race
    store_release_block(out, 1);  // FAULT global-race
  } else {
    while (load_acquire_block(out) == 0) {}  // FAULT global-race
    out[200] = out[100];  // FAULT global-race
  }
}
