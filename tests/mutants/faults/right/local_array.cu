// An array of a thread, written whole.
// launch: 1 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int mine[8];
  for (int k = 0; k < 8; ++k) mine[(k + n) % 8] = in[k];
  out[threadIdx.x] = mine[(threadIdx.x + n) % 8];
}
