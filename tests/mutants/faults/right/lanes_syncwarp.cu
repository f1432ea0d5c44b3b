// Lanes exchange through global memory with __syncwarp.
// launch: 1 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  out[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  in[threadIdx.x] = out[threadIdx.x ^ 1];
}
