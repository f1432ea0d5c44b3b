// An index that lands in another live buffer.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int* end = out + 4224 + (n - 64);
  end[threadIdx.x] = threadIdx.x;  // FAULT out-of-bounds
}
