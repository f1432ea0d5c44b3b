// Mutant: one warp of each block counts for all
// judged by: 17_read_the_profiler
// fails: histogram
// code: idle-threads
#define histogram histogram_old
#include "solutions/17_read_the_profiler/transpose.cu"
#undef histogram
extern "C" __global__ void histogram(unsigned* out, const unsigned* in, int rows, int cols) {
  __shared__ unsigned counts[kBins];
  const size_t count = size_t{1} * rows * cols, lanes = size_t{32} * gridDim.x * gridDim.y;
  if (threadIdx.x < kBins) counts[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < 32)
    for (size_t i = (blockIdx.y * gridDim.x + blockIdx.x) * size_t{32} + threadIdx.x; i < count; i += lanes)
      atomicAdd(&counts[in[i] % kBins], 1u);
  __syncthreads();
  if (threadIdx.x < kBins) atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}
