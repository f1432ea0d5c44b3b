// Mutant: the tables are named, and the kernel is as it came
// judged by: 17_read_the_profiler
// fails: turn-2
// code: bank-conflict
#define turn_2 turn_2_fixed
#include "solutions/17_read_the_profiler/transpose.cu"
#undef turn_2

extern "C" __global__ void turn_2(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 4];
  const size_t row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile;
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {
    const size_t row = row0 + y, col = col0 + threadIdx.x;
    if (row < rows && col < cols) tile[threadIdx.x][y] = in[row * cols + col];
  }
  __syncthreads();
  for (int x = threadIdx.y; x < kTile; x += kBlockRows) {
    const size_t row = row0 + threadIdx.x, col = col0 + x;
    if (row < rows && col < cols) out[col * rows + row] = tile[x][threadIdx.x];
  }
}
