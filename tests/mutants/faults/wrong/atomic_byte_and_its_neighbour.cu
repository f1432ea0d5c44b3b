// A byte is changed by an atomic of some threads and stored plainly by another.
// launch: 2 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  char* bytes = (char*)out;
  if (threadIdx.x < 32) add_to_byte(bytes + 4, 1);  // FAULT global-race
  if (threadIdx.x == 40 + blockIdx.x) bytes[4] = 9;  // FAULT global-race
}
