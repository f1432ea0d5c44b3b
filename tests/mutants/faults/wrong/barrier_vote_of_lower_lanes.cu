// Each lane asks the lanes below it, and is not in its own mask: GPUs go on.
// launch: 1 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  unsigned below = (1u << threadIdx.x) - 1u;
  unsigned votes = __ballot_sync(below, in[threadIdx.x] % 3 == 0);  // FAULT warp-sync
  out[threadIdx.x] = __popc(votes & below);
}
