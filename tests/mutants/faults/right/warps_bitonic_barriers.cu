// Steps of bitonic sort in global memory.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int t = threadIdx.x;
  out[t] = in[128 - t];
  for (int k = 64; k > 0; k /= 2) {
    __syncthreads();
    int a = out[t], b = out[t ^ k];
    __syncthreads();
    out[t] = (t & k) == 0 ? min(a, b) : max(a, b);
  }
}
