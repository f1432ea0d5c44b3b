// A store of sixteen bytes reaches into the next block's element.
// launch: 4 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = blockIdx.x * 32 + threadIdx.x;
  if (threadIdx.x == 31) {
    *(int4*)(out + blockIdx.x * 32 + 32) = make_int4(i, i, i, i);  // FAULT global-race
  } else {
    out[i] = -i;  // FAULT global-race
  }
}
