// Unwritten numbers are summed by shuffles.
// launch: 1 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int part[32];
  int t = threadIdx.x;
  if (t < 24) part[t] = in[t];
  __syncwarp();
  int sum = part[t];  // FAULT uninitialised-shared
  for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffff, sum, k);
  if (t == 0) out[0] = sum;
}
