// A sequence lock: its number is odd while the writer writes, and readers try again.
// launch: 4 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  volatile int* number = out;
  volatile int* data = out + 64;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    for (int round = 1; round <= 5; ++round) {
      *number = 2 * round - 1;
      __threadfence();
      data[0] = round;
      data[1] = 10 * round;
      __threadfence();
      *number = 2 * round;
    }
  } else {
    int first, last, a, b;
    do {
      first = *number;
      __threadfence();
      a = data[0];
      b = data[1];
      __threadfence();
      last = *number;
    } while (first != last || first % 2 != 0 || first == 0);
    out[128 + blockIdx.x] = a + b;
  }
}
