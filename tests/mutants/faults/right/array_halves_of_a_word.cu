// Two bytes of a word are written, and these are used.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ unsigned words[64];
  int t = threadIdx.x;
  ((unsigned short*)words)[2 * t] = (unsigned short)in[t];
  __syncthreads();
  out[t] = (int)(words[63 - t] & 0xffff) + 1;
}
