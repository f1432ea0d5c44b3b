// A barrier in a loop of which all make the same rounds.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[64];
  int t = threadIdx.x, sum = 0;
  for (int row = 0; row < 2; ++row) {
    tile[t] = in[row * 64 + t];
    __syncthreads();
    if (row < 1 + t / 32) sum += tile[63 - t];
    __syncthreads();
  }
  out[t] = sum;
}
