// Threads of the block read the counts too early, and so do those of other blocks: a barrier fixes the one.
// launch: 4 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  const int t = threadIdx.x;
  atomicAdd(&out[t % 8], 1);  // FAULT global-race
  const int sum = out[(t + 1) % 8];  // FAULT global-race
  out[64 + blockIdx.x * 64 + t] = sum;
}
