// Four blocks, each a byte of every word.
// launch: 4 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  unsigned char* bytes = (unsigned char*)out;
  bytes[threadIdx.x * 4 + blockIdx.x] = (unsigned char)threadIdx.x;
}
