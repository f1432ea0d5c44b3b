// A lock by acquire and release with the scope of a block.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int lock, sum;
  if (threadIdx.x == 0) lock = sum = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (swap_acquire_block(&lock, 1) != 0) {}
    sum = sum + in[threadIdx.x];
    store_release_block(&lock, 0);
  }
  __syncthreads();
  if (threadIdx.x == 0) out[0] = sum;
}
