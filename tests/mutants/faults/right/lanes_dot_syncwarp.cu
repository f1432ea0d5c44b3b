// The last steps of a sum in one warp, with __syncwarp.
// launch: 1 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int part[64];
  int t = threadIdx.x;
  part[t] = in[t];
  part[t + 32] = 0;
  for (int k = 16; k > 0; k /= 2) {
    __syncwarp();
    int more = part[t + k];
    __syncwarp();
    part[t] += more;
  }
  __syncwarp();
  out[t] = part[0];
}
