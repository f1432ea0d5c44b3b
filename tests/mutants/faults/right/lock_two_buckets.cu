// Each bucket has a lock, and is changed under it alone.
// launch: 1 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int key = threadIdx.x % 4;
  while (atomicCAS(out + 64 + key, 0, 1) != 0) {
  }
  __threadfence();
  out[key] += in[threadIdx.x];
  
  __threadfence();
  atomicExch(out + 64 + key, 0);
}
