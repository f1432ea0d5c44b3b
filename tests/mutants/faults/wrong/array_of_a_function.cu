// A function that is not inlined reads elements of its own array that it has not written in this call.
// launch: 1 32
#include "../words.h"

__device__ __noinline__ int picked(const int* in, int count, int k) {
  int part[8];
  for (int j = 0; j < count; ++j) part[j] = in[j];
  return part[k];  // FAULT uninitialised-local
}

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int all = picked(in, 8, threadIdx.x % 8);  // writes every element: those of another call
  out[threadIdx.x] = all + picked(in, 4, threadIdx.x % 8);
}
