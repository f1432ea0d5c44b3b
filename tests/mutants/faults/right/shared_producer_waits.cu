// A producer arrives at full slots and waits for empty ones.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int slots[2][32];
  int lane = threadIdx.x % 32, sum = 0;
  for (int round = 0; round < 4; ++round) {
    int slot = round % 2;
    if (threadIdx.x < 32) {
      if (round >= 2) named_barrier(5 + slot, 64);
      slots[slot][lane] = in[32 * round + lane];
      arrive_barrier(1 + round, 64);
    } else {
      named_barrier(1 + round, 64);
      sum += slots[slot][31 - lane];
      if (round < 2) arrive_barrier(5 + slot, 64);
    }
  }
  out[threadIdx.x] = sum;
}
