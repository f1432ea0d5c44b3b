// Mutant: a block's counts are added before all have counted
// judged by: 17_read_the_profiler
// fails: histogram
// code: shared-race|wrong-element
#define histogram histogram_fixed
#include "solutions/17_read_the_profiler/transpose.cu"
#undef histogram

extern "C" __global__ void histogram(unsigned* out, const unsigned* in, int rows, int cols) {
  __shared__ unsigned counts[kBins];
  const size_t count = size_t{1} * rows * cols, threads = size_t{256} * gridDim.x * gridDim.y;
  if (threadIdx.x < kBins) counts[threadIdx.x] = 0;
  __syncthreads();
  for (size_t i = (blockIdx.y * gridDim.x + blockIdx.x) * size_t{256} + threadIdx.x; i < count; i += threads)
    atomicAdd(&counts[in[i] % kBins], 1u);
  if (threadIdx.x < kBins) atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}
