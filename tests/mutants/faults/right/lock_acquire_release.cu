// A lock by acquire and release.
// launch: 4 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x == 0) {
    while (swap_acquire(out, 1) != 0) {}
    out[1] += in[blockIdx.x];
    store_release(out, 0);
  }
}
