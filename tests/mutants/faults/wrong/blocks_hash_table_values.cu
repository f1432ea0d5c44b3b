// A key is taken by a compare-and-swap, its value is stored plainly, and who finds the key reads a value that may not be there yet.
// launch: 4 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  const int key = in[number] % 40 + 1;
  for (int slot = key * 7 % 64;; slot = (slot + 1) % 64) {
    if (out[slot] == key) {
      out[1024 + number] = out[64 + slot];  // FAULT global-race
      return;
    }
    if (out[slot] != 0) continue;
    const int before = atomicCAS(&out[slot], 0, key);
    if (before == 0) out[64 + slot] = 3 * key;  // FAULT global-race
    if (before == 0 || before == key) return;
  }
}
