// Breadth first: all that set a level set the same one.
// launch: 4 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  out[(i * 5 + 1) % 128] = 1;
}
