// As wrong/shared_pointer_of_a_lane, with what was missing.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int* mine[2];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane == 0) mine[warp] = out + 100 * warp;
  __syncwarp();
  mine[warp][lane] = in[lane];
}
