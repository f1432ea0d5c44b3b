// A block's flag is reset each round, and no barrier stands behind its test of the round before. It waits for no other word,
// though one is read as a flag would be.
// launch: 2 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ bool updated;
  int sum = 0;
  for (int round = blockIdx.x; round < 8; round += gridDim.x) {
    if (threadIdx.x == 0) updated = false;  // FAULT shared-race
    __syncthreads();
    if (*(volatile int*)&in[64 * round + threadIdx.x] % 5 == 0) updated = true;
    __syncthreads();
    if (updated) sum += round;  // FAULT shared-race
  }
  out[64 * blockIdx.x + threadIdx.x] = sum;
}
