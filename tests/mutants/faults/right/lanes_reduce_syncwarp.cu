// Each warp sums its part in place.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int* mine = in + threadIdx.x / 32 * 32;
  int lane = threadIdx.x % 32;
  for (int half = 16; half > 0; half /= 2) {
    int more = lane < half ? mine[lane + half] : 0;
    __syncwarp();
    if (lane < half) mine[lane] += more;
    __syncwarp();
  }
}
