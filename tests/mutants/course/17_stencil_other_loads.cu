// Mutant: the same loads, by another instruction
// judged by: 17_read_the_profiler
// fails: stencil
// code: repeated-access
#define stencil stencil_old
#include "solutions/17_read_the_profiler/transpose.cu"
#undef stencil
extern "C" __global__ void stencil(unsigned* out, const unsigned* in, int rows, int cols) {
  const size_t col = blockIdx.x * 32 + threadIdx.x;
  for (int y = threadIdx.y; y < 64; y += 8) {
    const size_t row = blockIdx.y * 64 + y;
    if (row >= rows || col >= cols) continue;
    unsigned above = 0, below = 0;
    if (row > 0) asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(above) : "l"(in + (row - 1) * cols + col));
    if (row + 1 < rows) asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(below) : "l"(in + (row + 1) * cols + col));
    out[row * cols + col] = above + in[row * cols + col] + below;
  }
}
