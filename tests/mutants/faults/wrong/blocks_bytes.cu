// One byte for every four threads, and each of them writes it.
// launch: 8 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  unsigned char* bytes = (unsigned char*)out;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bytes[i % 64] = (unsigned char)i;  // FAULT global-race
}
