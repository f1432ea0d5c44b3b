// An item is written, fenced, announced.
// launch: 4 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x == 0) {
    out[64 + blockIdx.x] = blockIdx.x + 1;
    __threadfence();
    int at = atomicAdd(out, 1);
    __threadfence();
    if (at == 3) out[1] = out[64] + out[65] + out[66] + out[67];
  }
}
