// The last stage is read while its copy may be on its way.
// launch: 1 32
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int stages[2][32];
  int t = threadIdx.x, sum = 0;
  copy_async(&stages[0][t], in + t);  // FAULT shared-race
  commit_async();
  for (int k = 0; k < 4; ++k) {
    if (k < 3) copy_async(&stages[(k + 1) % 2][t], in + (k + 1) * 32 + t);  // FAULT shared-race
    if (k < 3) commit_async();
    wait_async_but<1>();
    sum += stages[k % 2][t];  // FAULT shared-race
  }
  out[t] = sum;
}
