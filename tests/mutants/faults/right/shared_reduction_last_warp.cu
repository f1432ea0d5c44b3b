// A reduction whose last warp goes on with __syncwarp.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int sums[128];
  sums[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int half = 64; half > 16; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    for (int half = 16; half > 0; half /= 2) {
      int more = threadIdx.x < half ? sums[threadIdx.x + half] : 0;
      __syncwarp();
      if (threadIdx.x < half) sums[threadIdx.x] += more;
      __syncwarp();
    }
  }
  if (threadIdx.x == 0) out[0] = sums[0];
}
