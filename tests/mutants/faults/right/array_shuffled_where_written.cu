// Shuffles hand over unwritten numbers to lanes that do not use them.
// launch: 1 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int part[32];
  int t = threadIdx.x;
  if (t < 24) part[t] = in[t];
  __syncwarp();
  int mine = part[t];
  int other = __shfl_down_sync(0xffffffff, mine, 8);
  if (t < 16) out[t] = mine + other;
}
