// A lane watches a flag that another lane sets behind its data, and no fence stands anywhere.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int data;
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    data = in[7];  // FAULT shared-race
    flag = 1;
  } else if (threadIdx.x == 5) {
    while (flag == 0) {
    }
    out[0] = data;  // FAULT shared-race
  }
}
