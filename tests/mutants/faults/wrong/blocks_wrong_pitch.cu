// Rows of 32 in a matrix of 24 columns.
// launch: 4 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int column = threadIdx.x, row = blockIdx.x;
  out[row * 24 + column] = in[row * 32 + column];  // FAULT global-race
}
