// Structs with padding are copied whole to global memory.
// launch: 1 64
#include "../words.h"

struct Item {
  char tag;
  int value;
};
extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ Item items[64];
  int t = threadIdx.x;
  items[t].tag = (char)in[t];
  items[t].value = in[t];
  __syncthreads();
  ((Item*)out)[t] = items[63 - t];
}
