// Blocks wait for a flag that is never set.
// launch: 2 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  volatile int* flag = out;
  if (threadIdx.x == 0)
    while (*flag == 0) {}  // FAULT deadlock
}
