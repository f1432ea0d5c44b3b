// The last block sums up; the fence stands before the count.
// launch: 4 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x != 0) return;
  out[8 + blockIdx.x] = in[blockIdx.x];
  __threadfence();
  int before = atomicAdd(out, 1);
  __threadfence();
  if (before != 3) return;
  int sum = 0;
  for (int k = 0; k < 4; ++k) sum += out[8 + k];
  out[1] = sum;
}
