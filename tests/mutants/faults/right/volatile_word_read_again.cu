// What a thread has waited for it may read again: one word never shows an older value.
// launch: 2 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  volatile int* flag = out;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    flag[0] = 7;
    flag[1] = 1;
  } else {
    while (flag[0] == 0) {}
    while (flag[1] == 0) {}
    out[64] = flag[0];
  }
}
