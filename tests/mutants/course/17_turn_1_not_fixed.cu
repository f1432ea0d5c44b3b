// Mutant: the tables are named, and the kernel is as it came
// judged by: 17_read_the_profiler
// fails: turn-1
// code: uncoalesced
#define turn_1 turn_1_fixed
#include "solutions/17_read_the_profiler/transpose.cu"
#undef turn_1

extern "C" __global__ void turn_1(float* out, const float* in, int rows, int cols) {
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {
    const size_t row = blockIdx.y * kTile + y, col = blockIdx.x * kTile + threadIdx.x;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
  }
}
