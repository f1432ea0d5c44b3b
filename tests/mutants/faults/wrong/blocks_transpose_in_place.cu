// Blocks swap elements of a square matrix, each pair twice.
// launch: 16 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int row = blockIdx.x, col = threadIdx.x % 16;
  int a = in[row * 16 + col], b = in[col * 16 + row];  // FAULT global-race
  __syncthreads();
  in[row * 16 + col] = b;  // FAULT global-race
  if (a < 0) out[0] = a;
}
