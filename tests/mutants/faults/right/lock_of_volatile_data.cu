// The same with fences behind taking the lock and before freeing it.
// launch: 4 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  volatile int* data = out + 1;
  if (threadIdx.x != 0) return;
  while (atomicCAS(out, 0, 1) != 0) {}
  __threadfence();
  *data = blockIdx.x + 1;
  __threadfence();
  atomicExch(out, 0);
}
