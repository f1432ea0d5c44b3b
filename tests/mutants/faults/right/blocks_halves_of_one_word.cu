// Two blocks, each half a word.
// launch: 2 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  unsigned short* halves = (unsigned short*)out;
  halves[threadIdx.x * 2 + blockIdx.x] = (unsigned short)threadIdx.x;
}
