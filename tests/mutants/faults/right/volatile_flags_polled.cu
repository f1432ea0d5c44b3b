// Two flags; the one that was set later is watched first. Who polls a flag needs no order.
// launch: 3 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  volatile int* flag = out;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    flag[1] = 1;
    flag[0] = 1;
  } else {
    while (flag[0] == 0) {}
    while (flag[1] == 0) {}
    out[64 + blockIdx.x] = 1;
  }
}
