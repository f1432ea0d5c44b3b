// As wrong/shared_block_totals, with what was missing.
// launch: 2 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int sums[4];
  const int t = threadIdx.x, lane = t % 32;
  const int mine = __popc(__ballot_sync(~0u, in[t] & 1));
  if (lane == 0) sums[t / 32] = mine;
  __syncthreads();
  if (t == 0) {
    int total = 0;
    for (int k = 0; k < 4; ++k) {
      total += sums[k];
      sums[k] = total;
    }
  }
  __syncthreads();
  out[blockIdx.x * 128 + t] = sums[3];
}
