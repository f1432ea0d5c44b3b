// An atomic gives the slots; a plain look spares it when all are taken.
// launch: 1 256
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int used;
  __shared__ int slots[32];
  if (threadIdx.x == 0) used = 0;
  if (threadIdx.x < 32) slots[threadIdx.x] = 0;
  __syncthreads();
  if (used < 32) {  // NOTE line 11
    int at = atomicAdd(&used, 1);
    if (at < 32) slots[at] = in[threadIdx.x];
  }
  __syncthreads();
  if (threadIdx.x < 32) out[threadIdx.x] = slots[threadIdx.x];
}
