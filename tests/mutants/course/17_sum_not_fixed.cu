// Mutant: the tables are named, and the kernel is as it came
// judged by: 17_read_the_profiler
// fails: sum
// code: too-many-requests
// says: lanes
#define sum sum_fixed
#include "solutions/17_read_the_profiler/transpose.cu"
#undef sum

extern "C" __global__ void sum(unsigned* out, const unsigned* in, int rows, int cols) {
  __shared__ unsigned part[256];
  const size_t count = size_t{1} * rows * cols, threads = size_t{256} * gridDim.x * gridDim.y;
  const int t = threadIdx.x;
  unsigned mine = 0;
  for (size_t i = (blockIdx.y * gridDim.x + blockIdx.x) * size_t{256} + t; i < count; i += threads) mine += in[i];
  part[t] = mine;
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    if (t % (2 * step) == 0) part[t] = mine += part[t + step];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, mine);
}
