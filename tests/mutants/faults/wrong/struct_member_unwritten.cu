// An unwritten member of a struct is counted.
// launch: 1 64
#include "../words.h"

struct Item {
  char tag;
  int value;
};
extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ Item items[64];
  int t = threadIdx.x;
  items[t].tag = 1;
  __syncthreads();
  out[t] = items[63 - t].value * 2;  // FAULT uninitialised-shared
}
