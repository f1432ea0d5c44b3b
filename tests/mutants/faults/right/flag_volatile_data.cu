// Data and flag are both volatile, with a fence between.
// launch: 2 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  volatile int* data = out;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    data[100] = 42;
    __threadfence();
    data[0] = 1;
  } else {
    while (data[0] == 0) {}
    data[200] = data[100];
  }
}
