// An array of a thread, of which half was written.
// launch: 1 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int mine[8];
  for (int k = 0; k < 4; ++k) mine[(k + n) % 4] = in[k];
  out[threadIdx.x] = mine[(threadIdx.x + n) % 8];  // FAULT uninitialised-local
}
