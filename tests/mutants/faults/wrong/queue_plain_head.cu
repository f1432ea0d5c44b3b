// A ring: its head is published by a plain store.
// launch: 2 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    for (int k = 0; k < 4; ++k) {
      out[8 + k] = in[k] + 1;  // FAULT global-race
      __threadfence();
      out[0] = k + 1;  // FAULT global-race
    }
  } else {
    while (*(volatile int*)out < 4) {}  // FAULT global-race
    for (int k = 0; k < 4; ++k) out[16 + k] = out[8 + k];  // FAULT global-race
  }
}
