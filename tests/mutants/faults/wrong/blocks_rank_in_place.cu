// A rank is computed from neighbours that change meanwhile.
// launch: 4 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  int left = out[(i + 255) % 256], right = out[(i + 1) % 256];  // FAULT global-race
  out[i] = left + right + in[i];  // FAULT global-race
}
