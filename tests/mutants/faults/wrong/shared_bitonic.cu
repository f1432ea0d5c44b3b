// Bitonic sort with a barrier in the outer loop only.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int keys[128];
  int t = threadIdx.x;
  keys[t] = in[127 - t];
  for (int size = 2; size <= 128; size *= 2) {
    __syncthreads();
    for (int k = size / 2; k > 0; k /= 2) {
      int other = t ^ k;
      if (other > t && (keys[t] > keys[other]) == ((t & size) == 0)) {  // FAULT shared-race
        int swap = keys[t];  // FAULT shared-race
        keys[t] = keys[other];  // FAULT shared-race
        keys[other] = swap;  // FAULT shared-race
      }
    }
  }
  __syncthreads();
  out[t] = keys[t];
}
