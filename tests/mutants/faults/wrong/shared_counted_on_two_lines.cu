// A counter in shared memory, read on one line and stored on another: no barrier between them helps.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int odd;
  if (threadIdx.x == 0) odd = 0;
  __syncthreads();
  if (in[threadIdx.x] % 2 == 1) {
    const int before = odd;  // FAULT shared-race
    odd = before + 1;        // FAULT shared-race
  }
  __syncthreads();
  out[threadIdx.x] = odd;
}
