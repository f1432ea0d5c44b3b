// Two groups, each with its own barrier and its own tile.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[128];
  int group = threadIdx.x / 64;
  tile[threadIdx.x] = in[threadIdx.x];
  named_barrier(1 + group, 64);
  out[threadIdx.x] = tile[threadIdx.x ^ 32];
}
