// An unwritten member is loaded, and its tag says not to use it.
// launch: 1 64
#include "../words.h"

struct Item {
  char tag;
  int value;
};
extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ Item items[64];
  int t = threadIdx.x;
  items[t].tag = t % 2;
  if (t % 2 == 1) items[t].value = in[t];
  __syncthreads();
  Item mine = items[63 - t];
  out[t] = mine.tag == 1 ? mine.value : 0;
}
