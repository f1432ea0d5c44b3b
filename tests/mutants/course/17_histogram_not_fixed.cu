// Mutant: the tables are named, and the kernel is as it came
// judged by: 17_read_the_profiler
// fails: histogram
// code: too-many-requests
// says: shared memory
#define histogram histogram_fixed
#include "solutions/17_read_the_profiler/transpose.cu"
#undef histogram

extern "C" __global__ void histogram(unsigned* out, const unsigned* in, int rows, int cols) {
  const size_t count = size_t{1} * rows * cols, threads = size_t{256} * gridDim.x * gridDim.y;
  for (size_t i = (blockIdx.y * gridDim.x + blockIdx.x) * size_t{256} + threadIdx.x; i < count; i += threads)
    atomicAdd(&out[in[i] % kBins], 1u);
}
