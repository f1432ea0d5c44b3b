// A struct with padding is copied whole.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  struct Item { char tag; int value; };
  __shared__ Item items[64];
  items[threadIdx.x].tag = 1;
  items[threadIdx.x].value = in[threadIdx.x];
  __syncthreads();
  Item mine = items[63 - threadIdx.x];
  out[threadIdx.x] = mine.value + mine.tag;
}
