// The barrier of Xiao and Feng: words in, words out, volatile, between fences.
// launch: 6 64
#include "../words.h"

__device__ void meet(volatile int* arrived, volatile int* go, int round) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) arrived[blockIdx.x] = round;
  if (blockIdx.x == 0) {
    if (threadIdx.x < gridDim.x) {
      while (arrived[threadIdx.x] != round) {}
    }
    __syncthreads();
    __threadfence();
    if (threadIdx.x < gridDim.x) go[threadIdx.x] = round;
  }
  if (threadIdx.x == 0) {
    while (go[blockIdx.x] != round) {}
  }
  __syncthreads();
  __threadfence();
}

extern "C" __global__ void kernel(int* out, int* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int round = 1; round <= 3; ++round) {
    const int* from = out + 1024 + (round % 2) * n;
    int* to = out + 1024 + (1 - round % 2) * n;
    to[i] = from[(i + 1) % n] + in[i];
    meet(out, out + 64, round);
  }
}
