// Whole warps at two barriers that happen to be one.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x < 32) {
    __syncthreads();  // FAULT barrier-divergence
    out[threadIdx.x] = tile[threadIdx.x + 32];
  } else {
    __syncthreads();  // FAULT barrier-divergence
    out[threadIdx.x] = tile[threadIdx.x - 32] + 1;
  }
}
