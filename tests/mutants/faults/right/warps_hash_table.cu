// Warps of a block put keys into a table: found, or taken by a compare-and-swap.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  const int key = in[threadIdx.x] % 40 + 1;
  for (int slot = key * 7 % 64;; slot = (slot + 1) % 64) {
    const int now = out[slot];  // NOTE line 8
    if (now == key) return;
    if (now != 0) continue;
    const int before = atomicCAS(&out[slot], 0, key);
    if (before == 0 || before == key) return;
  }
}
