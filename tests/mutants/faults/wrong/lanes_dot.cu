// The last steps of a sum in one warp, without __syncwarp.
// launch: 1 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int part[64];
  int t = threadIdx.x;
  part[t] = in[t];  // FAULT missing-syncwarp
  part[t + 32] = 0;  // FAULT missing-syncwarp
  for (int k = 16; k > 0; k /= 2) part[t] += part[t + k];  // FAULT missing-syncwarp
  out[t] = part[0];  // FAULT missing-syncwarp
}
