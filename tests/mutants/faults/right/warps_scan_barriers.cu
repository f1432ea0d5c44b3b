// Hillis and Steele in place with both barriers.
// launch: 1 128
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  for (int step = 1; step < 128; step *= 2) {
    int more = threadIdx.x >= step ? in[threadIdx.x - step] : 0;
    __syncthreads();
    in[threadIdx.x] += more;
    __syncthreads();
  }
}
