// A barrier in a loop of which threads make different numbers of rounds.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[64];
  int t = threadIdx.x, sum = 0;
  for (int row = 0; row < 1 + t / 32; ++row) {
    tile[t] = in[row * 64 + t];  // FAULT shared-race
    __syncthreads();  // FAULT barrier-divergence
    sum += tile[63 - t];  // FAULT shared-race
  }
  out[t] = sum;
}
