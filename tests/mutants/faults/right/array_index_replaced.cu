// An index that was never written is replaced before it is used.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int order[64];
  int t = threadIdx.x;
  if (t % 2 == 0) order[t] = t / 2;
  __syncthreads();
  int index = order[t];
  if (t % 2 == 1) index = 0;
  out[t] = in[index & 63];
}
