// Mutant: no tree: each thread adds its own part
// judged by: 17_read_the_profiler
// fails: sum
// code: too-many-sectors|too-many-requests
#define sum sum_fixed
#include "solutions/17_read_the_profiler/transpose.cu"
#undef sum

extern "C" __global__ void sum(unsigned* out, const unsigned* in, int rows, int cols) {
  const size_t count = size_t{1} * rows * cols, threads = size_t{256} * gridDim.x * gridDim.y;
  unsigned mine = 0;
  for (size_t i = (blockIdx.y * gridDim.x + blockIdx.x) * size_t{256} + threadIdx.x; i < count; i += threads) mine += in[i];
  atomicAdd(out, mine);
}
