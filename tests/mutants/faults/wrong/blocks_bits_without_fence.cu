// Blocks announce by a bit each that their result is there, with no fence between.
// launch: 3 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  if (threadIdx.x != 0) return;
  out[blockIdx.x] = in[blockIdx.x];  // FAULT global-race
  atomicOr((unsigned*)out + 64, 1u << blockIdx.x);
  if (blockIdx.x != 0) return;
  while ((atomicOr((unsigned*)out + 64, 0u) & 6u) != 6u) {
  }
  out[65] = out[1] + out[2];  // FAULT global-race
}
