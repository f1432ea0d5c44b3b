// Every block normalises its row and reads the first element of the next one.
// launch: 8 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int* row = in + blockIdx.x * 64;
  int next = row[64];  // FAULT global-race
  __syncthreads();
  row[threadIdx.x] = row[threadIdx.x] - next;  // FAULT global-race
}
