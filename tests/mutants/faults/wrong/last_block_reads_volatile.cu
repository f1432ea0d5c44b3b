// The last block sums what the others wrote, unfenced; it reads past the caches, which orders nothing.
// launch: 4 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x == 0) {
    out[1 + blockIdx.x] = in[blockIdx.x];  // FAULT global-race
    if (atomicAdd(out, 1) == gridDim.x - 1) {
      int sum = 0;
      for (int k = 0; k < gridDim.x; ++k) sum += ((volatile int*)out)[1 + k];  // FAULT global-race
      out[100] = sum;
    }
  }
}
