// Pairs that lie in two blocks are swapped by both.
// launch: 4 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int step = 0; step < 4; ++step) {
    if (i % 2 == step % 2) {
      int a = in[i], b = in[i + 1];  // FAULT global-race
      if (a < b + 2) {
        in[i] = b;  // FAULT global-race
        in[i + 1] = a;  // FAULT global-race
      }
    }
    __syncthreads();
  }
}
