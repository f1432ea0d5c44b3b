// Half a warp at the barrier.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x % 32 < 16) __syncthreads();  // FAULT barrier-divergence
  out[threadIdx.x] = tile[threadIdx.x];
}
