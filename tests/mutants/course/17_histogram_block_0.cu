// Mutant: block 0 counts everything, the others do nothing
// judged by: 17_read_the_profiler
// fails: histogram
// code: idle-blocks
#define histogram histogram_old
#include "solutions/17_read_the_profiler/transpose.cu"
#undef histogram
extern "C" __global__ void histogram(unsigned* out, const unsigned* in, int rows, int cols) {
  __shared__ unsigned counts[kBins];
  if (blockIdx.x + blockIdx.y) return;
  const size_t count = size_t{1} * rows * cols;
  if (threadIdx.x < kBins) counts[threadIdx.x] = 0;
  __syncthreads();
  for (size_t i = threadIdx.x; i < count; i += 256) atomicAdd(&counts[in[i] % kBins], 1u);
  __syncthreads();
  if (threadIdx.x < kBins) atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}
