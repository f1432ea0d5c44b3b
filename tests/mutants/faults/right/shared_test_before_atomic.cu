// A plain test spares most atomics, in shared memory.
// launch: 4 256
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int best;
  if (threadIdx.x == 0) best = 0;
  __syncthreads();
  int v = in[(blockIdx.x * blockDim.x + threadIdx.x) * 37 % 501];
  if (best < v) atomicMax(&best, v);  // NOTE line 10
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = best;
}
