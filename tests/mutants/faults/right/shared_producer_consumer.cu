// One warp fills, the other empties, behind bar.arrive and bar.sync.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[32];
  for (int k = 0; k < 3; ++k) {
    if (threadIdx.x < 32) {
      if (k > 0) named_barrier(2, 64);
      tile[threadIdx.x] = in[k * 32 + threadIdx.x];
      arrive_barrier(1, 64);
    } else {
      named_barrier(1, 64);
      out[k * 32 + threadIdx.x] = tile[63 - threadIdx.x];
      if (k < 2) arrive_barrier(2, 64);
    }
  }
}
