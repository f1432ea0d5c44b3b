// Data and flag are both volatile, and no fence stands between: the data may come after the flag.
// launch: 2 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  volatile int* data = out;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    data[100] = 42;  // FAULT global-race
    data[0] = 1;
  } else {
    while (data[0] == 0) {}
    data[200] = data[100];  // FAULT global-race
  }
}
