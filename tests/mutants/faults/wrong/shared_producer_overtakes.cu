// A producer arrives at full slots and never waits for empty ones.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int slots[2][32];
  int lane = threadIdx.x % 32, sum = 0;
  for (int round = 0; round < 4; ++round) {
    int slot = round % 2;
    if (threadIdx.x < 32) {
      slots[slot][lane] = in[32 * round + lane];  // FAULT shared-race
      arrive_barrier(1 + round, 64);
    } else {
      named_barrier(1 + round, 64);
      sum += slots[slot][31 - lane];  // FAULT shared-race
    }
  }
  out[threadIdx.x] = sum;
}
