// A barrier that counts.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int many = __syncthreads_count(in[threadIdx.x] % 2);
  out[threadIdx.x] = many;
}
