// A producer fills the buffer anew before its readers are done.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int slot[32];
  int lane = threadIdx.x % 32;
  for (int round = 0; round < 3; ++round) {
    if (threadIdx.x < 32) slot[lane] = in[round * 32 + lane];  // FAULT shared-race
    named_barrier(1, 64);
    if (threadIdx.x >= 32) out[round * 32 + lane] = slot[31 - lane];  // FAULT shared-race
  }
}
