// A vote stands where the lanes should wait before the counter is used (cuCollections pull request 337).
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int held[2];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane == 0) held[warp] = 0;  // FAULT missing-syncwarp
  if (__any_sync(~0u, in[lane] & 1)) atomicAdd(&held[warp], in[lane] & 1);  // FAULT missing-syncwarp
  __syncwarp();
  out[threadIdx.x] = held[warp];
}
