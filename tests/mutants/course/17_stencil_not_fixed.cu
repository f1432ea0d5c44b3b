// Mutant: the tables are named, and the kernel is as it came
// judged by: 17_read_the_profiler
// fails: stencil
// code: repeated-access
// says: several threads
#define stencil stencil_fixed
#include "solutions/17_read_the_profiler/transpose.cu"
#undef stencil

extern "C" __global__ void stencil(unsigned* out, const unsigned* in, int rows, int cols) {
  const size_t col = blockIdx.x * 32 + threadIdx.x;
  for (int y = threadIdx.y; y < 64; y += 8) {
    const size_t row = blockIdx.y * 64 + y;
    if (row >= rows || col >= cols) continue;
    const unsigned above = row > 0 ? in[(row - 1) * cols + col] : 0;
    const unsigned below = row + 1 < rows ? in[(row + 1) * cols + col] : 0;
    out[row * cols + col] = above + in[row * cols + col] + below;
  }
}
