// Three numbers are read as a float4 whose last lane is not used.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ float4 points[64];
  float* numbers = (float*)points;
  int t = threadIdx.x;
  numbers[4 * t] = in[t];
  numbers[4 * t + 1] = in[t + 1];
  numbers[4 * t + 2] = in[t + 2];
  __syncthreads();
  float4 p = points[63 - t];
  out[t] = (int)(p.x + p.y + p.z);
}
