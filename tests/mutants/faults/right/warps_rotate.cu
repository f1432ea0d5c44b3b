// Each thread takes its neighbour's element, with a barrier between.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  for (int k = 0; k < 5; ++k) {
    int value = in[(threadIdx.x + 1) % 128];
    __syncthreads();
    in[threadIdx.x] = value;
    __syncthreads();
  }
}
