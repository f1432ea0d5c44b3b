// As wrong/shared_counter_reset_by_vote, with what was missing.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int held[2];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane == 0) held[warp] = 0;
  __syncwarp();
  if (__any_sync(~0u, in[lane] & 1)) atomicAdd(&held[warp], in[lane] & 1);
  __syncwarp();
  out[threadIdx.x] = held[warp];
}
