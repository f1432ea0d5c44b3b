// A byte is stored plainly beside one that others change by an atomic, which PTX makes a swap of the word.
// launch: 2 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  char* bytes = (char*)out;
  if (threadIdx.x < 32) add_to_byte(bytes + 4, 1);
  if (threadIdx.x == 40 + blockIdx.x) bytes[5 + blockIdx.x] = 9;
}
