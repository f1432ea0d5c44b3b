// An atomic on a shared array of one byte: the word around it is swapped.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ char one[1];
  if (threadIdx.x == 0) one[0] = 0;
  __syncthreads();
  add_to_byte(one, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = one[0];
}
