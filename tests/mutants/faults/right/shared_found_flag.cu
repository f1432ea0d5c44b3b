// All that find something write true.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  if (in[threadIdx.x] % 5 == 2) found = 1;
  __syncthreads();
  if (threadIdx.x == 0) out[0] = found;
}
