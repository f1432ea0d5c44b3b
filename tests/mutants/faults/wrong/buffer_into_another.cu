// An index that lands in another live buffer.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  long distance = (n < 0 ? 0 : 1) * ((long)(unsigned long long)in - (long)(unsigned long long)out) / 4;
  int* end = out + distance;
  end[threadIdx.x] = threadIdx.x;  // FAULT out-of-bounds
}
