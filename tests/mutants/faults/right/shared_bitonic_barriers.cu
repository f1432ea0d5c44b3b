// Bitonic sort with a barrier for each step.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int keys[128];
  int t = threadIdx.x;
  keys[t] = in[127 - t];
  for (int size = 2; size <= 128; size *= 2) {
    for (int k = size / 2; k > 0; k /= 2) {
      __syncthreads();
      int other = t ^ k;
      if (other > t && (keys[t] > keys[other]) == ((t & size) == 0)) {
        int swap = keys[t];
        keys[t] = keys[other];
        keys[other] = swap;
      }
    }
  }
  __syncthreads();
  out[t] = keys[t];
}
