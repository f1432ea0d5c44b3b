// Asynchronous copies of all rows of an array.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[2][32];
  __shared__ int next[64];
  next[threadIdx.x] = threadIdx.x;
  __syncthreads();
  for (int row = 0; row < 2; ++row) {
    if (threadIdx.x < 32) copy_async(&tile[row][threadIdx.x], in + 32 * row + threadIdx.x);
  }
  wait_async();
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x / 32][threadIdx.x % 32] + next[63 - threadIdx.x];
}
