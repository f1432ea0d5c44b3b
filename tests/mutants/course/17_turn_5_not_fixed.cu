// Mutant: the tables are named, and the kernel is as it came
// judged by: 17_read_the_profiler
// fails: turn-5
// code: uncoalesced
#define turn_5 turn_5_fixed
#include "solutions/17_read_the_profiler/transpose.cu"
#undef turn_5

extern "C" __global__ void turn_5(float* out, const float* in, int rows, int cols) {
  for (int x = threadIdx.y; x < kTile; x += kBlockRows) {
    const size_t row = blockIdx.y * kTile + threadIdx.x, col = blockIdx.x * kTile + x;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
  }
}
