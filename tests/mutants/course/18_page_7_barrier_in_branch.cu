// Mutant: the finding is right, and the barrier still stands in the branch
// judged by: 18_bugs_in_the_wild
// fails: page-7
// code: barrier-divergence
// says: __syncthreads
#define bug_7 fixed_page
#include "solutions/18_bugs_in_the_wild/transpose.cu"
#undef bug_7

extern "C" __global__ void bug_7(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];
  const size_t row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile;
  const size_t col = col0 + threadIdx.x;
  if (col < cols) {
    for (int y = threadIdx.y; y < kTile; y += kBlockRows) {
      if (row0 + y < rows) tile[y][threadIdx.x] = in[(row0 + y) * cols + col];
    }
    __syncthreads();
  }
  for (int x = threadIdx.y; x < kTile; x += kBlockRows) {
    const size_t row = row0 + threadIdx.x;
    if (row < rows && col0 + x < cols) {
      out[(col0 + x) * rows + row] = tile[threadIdx.x][x];
    }
  }
}
