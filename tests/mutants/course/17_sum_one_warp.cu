// Mutant: as many threads as before, and one warp of each block adds up all of its share
// judged by: 17_read_the_profiler
// fails: sum
// code: idle-threads
#define sum sum_old
#include "solutions/17_read_the_profiler/transpose.cu"
#undef sum
extern "C" __global__ void sum(unsigned* out, const unsigned* in, int rows, int cols) {
  const size_t count = size_t{1} * rows * cols, lanes = size_t{32} * gridDim.x * gridDim.y;
  if (threadIdx.x >= 32) return;
  unsigned mine = 0;
  for (size_t i = (blockIdx.y * gridDim.x + blockIdx.x) * size_t{32} + threadIdx.x; i < count; i += lanes) mine += in[i];
  for (int half = 16; half > 0; half /= 2) mine += __shfl_down_sync(0xffffffff, mine, half);
  if (threadIdx.x == 0) atomicAdd(out, mine);
}
