// Mutant: one lane of each block adds up all
// judged by: 17_read_the_profiler
// fails: sum
// code: idle-threads
#define sum sum_old
#include "solutions/17_read_the_profiler/transpose.cu"
#undef sum
extern "C" __global__ void sum(unsigned* out, const unsigned* in, int rows, int cols) {
  const size_t count = size_t{1} * rows * cols, per = (count + gridDim.x*gridDim.y - 1) / (gridDim.x*gridDim.y);
  const size_t b = blockIdx.y * gridDim.x + blockIdx.x;
  if (threadIdx.x) return;
  unsigned mine = 0;
  for (size_t i = b * per; i < (b + 1) * per && i < count; ++i) mine += in[i];
  atomicAdd(out, mine);
}
