// One lane leaves a pointer for its warp, which reads it at once (HeCBench pull request 221).
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int* mine[2];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane == 0) mine[warp] = out + 100 * warp;  // FAULT missing-syncwarp
  mine[warp][lane] = in[lane];  // FAULT uninitialised-shared
}
