// Slots of a list in shared memory: the value that the atomic returns.
// launch: 1 256
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int count;
  __shared__ int slots[256];
  if (threadIdx.x == 0) count = 0;
  slots[threadIdx.x] = -1;
  __syncthreads();
  if (in[threadIdx.x] % 2 == 1) {
    slots[atomicAdd(&count, 1)] = in[threadIdx.x];
  }
  __syncthreads();
  out[threadIdx.x] = slots[threadIdx.x];
}
