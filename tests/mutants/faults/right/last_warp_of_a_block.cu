// The last warp sums what the others wrote, by an atomic in shared memory.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int parts[4], arrived;
  if (threadIdx.x == 0) arrived = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    parts[threadIdx.x / 32] = in[threadIdx.x];
    __threadfence_block();
    if (atomicAdd(&arrived, 1) == 3) {
      __threadfence_block();
      out[0] = parts[0] + parts[1] + parts[2] + parts[3];
    }
  }
}
