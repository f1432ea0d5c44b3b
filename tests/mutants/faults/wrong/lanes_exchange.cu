// Lanes of one warp exchange through global memory.
// launch: 1 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  out[threadIdx.x] = in[threadIdx.x];  // FAULT missing-syncwarp
  in[threadIdx.x] = out[threadIdx.x ^ 1];  // FAULT missing-syncwarp
}
