// Each lane asks all lanes, and looks at those below it.
// launch: 1 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  unsigned below = (1u << threadIdx.x) - 1u;
  unsigned votes = __ballot_sync(0xffffffffu, in[threadIdx.x] % 3 == 0);
  out[threadIdx.x] = __popc(votes & below);
}
