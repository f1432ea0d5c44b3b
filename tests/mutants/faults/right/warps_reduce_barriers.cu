// A tree in global memory with its barriers.
// launch: 2 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int* mine = in + blockIdx.x * 128;
  for (int half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half) mine[threadIdx.x] += mine[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = mine[0];
}
