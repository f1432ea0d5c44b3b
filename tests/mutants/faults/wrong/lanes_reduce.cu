// A warp sums in global memory as if lanes ran in step.
// launch: 1 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  for (int half = 16; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      int more = in[threadIdx.x + half];  // FAULT missing-syncwarp
      in[threadIdx.x] += more;  // FAULT missing-syncwarp
    }
  }
}
