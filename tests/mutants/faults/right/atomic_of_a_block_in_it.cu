// atomicAdd_block on a word of the block's own.
// launch: 4 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  atomicAdd_block(out + blockIdx.x, in[threadIdx.x]);
}
