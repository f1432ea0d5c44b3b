// Components: parents are changed by atomicMax.
// launch: 4 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  int parent = in[i] % 7;
  if (out[parent] < i) atomicMax(out + parent, i);  // NOTE line 8
}
