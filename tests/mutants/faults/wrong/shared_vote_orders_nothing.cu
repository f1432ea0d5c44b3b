// A vote is no barrier for memory.
// launch: 1 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[32];
  tile[threadIdx.x] = in[threadIdx.x];  // FAULT missing-syncwarp
  int all = __all_sync(~0u, in[threadIdx.x] >= 0);
  out[threadIdx.x] = all + tile[threadIdx.x ^ 1];  // FAULT missing-syncwarp
}
