// Mutant: the first row reads above itself
// judged by: 17_read_the_profiler
// fails: stencil
// code: out-of-bounds
#define stencil stencil_fixed
#include "solutions/17_read_the_profiler/transpose.cu"
#undef stencil

extern "C" __global__ void stencil(unsigned* out, const unsigned* in, int rows, int cols) {
  const size_t col = blockIdx.x * 32 + threadIdx.x, first = blockIdx.y * 64 + threadIdx.y * 8;
  if (first >= rows || col >= cols) return;
  unsigned above = in[(first - 1) * cols + col], own = in[first * cols + col];
  for (size_t row = first; row < first + 8 && row < rows; ++row) {
    const unsigned below = row + 1 < rows ? in[(row + 1) * cols + col] : 0;
    out[row * cols + col] = above + own + below;
    above = own, own = below;
  }
}
