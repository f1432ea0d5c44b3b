// A ring: its head is published by a release.
// launch: 2 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    for (int k = 0; k < 4; ++k) {
      out[8 + k] = in[k] + 1;
      store_release(out, k + 1);
    }
  } else {
    while (load_acquire(out) < 4) {}
    for (int k = 0; k < 4; ++k) out[16 + k] = out[8 + k];
  }
}
