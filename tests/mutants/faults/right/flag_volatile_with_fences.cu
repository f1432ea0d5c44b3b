// The same with a volatile flag.
// launch: 2 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  volatile int* flag = out;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    out[100] = 42;
    __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {}
    __threadfence();
    out[200] = out[100];
  }
}
