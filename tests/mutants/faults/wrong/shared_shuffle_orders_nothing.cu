// A shuffle is no barrier for memory.
// launch: 1 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[32];
  tile[threadIdx.x] = in[threadIdx.x];  // FAULT missing-syncwarp
  int other = __shfl_xor_sync(~0u, in[threadIdx.x], 1);
  out[threadIdx.x] = other + tile[threadIdx.x ^ 1];  // FAULT missing-syncwarp
}
