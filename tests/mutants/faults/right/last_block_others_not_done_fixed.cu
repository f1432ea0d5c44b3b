// As wrong/last_block_others_not_done, with what was missing.
// launch: 4 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ bool last;
  const int t = threadIdx.x;
  out[64 + blockIdx.x * 64 + t] = in[t];
  __threadfence();
  __syncthreads();
  if (t == 0) last = atomicAdd(out, 1) == gridDim.x - 1;
  __syncthreads();
  if (last) {
    __threadfence();
    int sum = 0;
    for (int b = 0; b < gridDim.x; ++b) sum += out[64 + b * 64 + t];
    out[512 + t] = sum;
  }
}
