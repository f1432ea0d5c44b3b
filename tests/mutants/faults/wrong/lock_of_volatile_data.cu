// A lock whose holder stores through a volatile pointer and puts no fence before it frees the lock: volatile
// orders nothing.
// launch: 4 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  volatile int* data = out + 1;
  if (threadIdx.x != 0) return;
  while (atomicCAS(out, 0, 1) != 0) {}
  *data = blockIdx.x + 1;  // FAULT global-race
  atomicExch(out, 0);
}
