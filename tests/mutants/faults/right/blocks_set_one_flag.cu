// All blocks that find something write the same value.
// launch: 8 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] % 7 == 3) out[0] = 1;
}
