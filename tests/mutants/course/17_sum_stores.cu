// Mutant: stores the sum where it should be added
// judged by: 17_read_the_profiler
// fails: sum
// code: wrong-element
// says: added
#define sum sum_fixed
#include "solutions/17_read_the_profiler/transpose.cu"
#undef sum

extern "C" __global__ void sum(unsigned* out, const unsigned* in, int rows, int cols) {
  if (blockIdx.x + blockIdx.y + threadIdx.x != 0) return;
  unsigned all = 0;
  for (size_t i = 0; i < size_t{1} * rows * cols; ++i) all += in[i];
  out[0] = all;
}
