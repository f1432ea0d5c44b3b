// A block's flag is reset each round, behind a barrier after its test of the round before.
// launch: 2 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ bool updated;
  int sum = 0;
  for (int round = blockIdx.x; round < 8; round += gridDim.x) {
    if (threadIdx.x == 0) updated = false;
    __syncthreads();
    if (*(volatile int*)&in[64 * round + threadIdx.x] % 5 == 0) updated = true;
    __syncthreads();
    if (updated) sum += round;
    __syncthreads();
  }
  out[64 * blockIdx.x + threadIdx.x] = sum;
}
