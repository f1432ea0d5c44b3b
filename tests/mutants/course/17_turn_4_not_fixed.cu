// Mutant: the tables are named, and the kernel is as it came
// judged by: 17_read_the_profiler
// fails: turn-4
// code: uncoalesced
#define turn_4 turn_4_fixed
#include "solutions/17_read_the_profiler/transpose.cu"
#undef turn_4

extern "C" __global__ void turn_4(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];
  const size_t row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile, first = 3;  // the first column is the third, as in a ring
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {
    const size_t row = row0 + y, col = col0 + threadIdx.x;
    if (row < rows && col < cols) tile[y][threadIdx.x] = in[row * cols + (col + first) % cols];
  }
  __syncthreads();
  for (int x = threadIdx.y; x < kTile; x += kBlockRows) {
    const size_t row = row0 + threadIdx.x, col = col0 + x;
    if (row < rows && col < cols) out[(col + first) % cols * rows + row] = tile[threadIdx.x][x];
  }
}
