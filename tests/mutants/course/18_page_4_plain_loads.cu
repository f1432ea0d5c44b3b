// Mutant: a right kernel that is another one: no asynchronous copy
// judged by: 18_bugs_in_the_wild
// fails: page-4
// code: changed-idea
// says: cp.async
#define bug_4 fixed_page
#include "solutions/18_bugs_in_the_wild/transpose.cu"
#undef bug_4

extern "C" __global__ void bug_4(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];
  for (int k = 0; k < kStages; ++k) {
    const size_t row0 = blockIdx.y * kTile, col0 = (blockIdx.x * kStages + k) * kTile;
    for (int y = threadIdx.y; y < kTile; y += kBlockRows) {
      const size_t row = row0 + y, col = col0 + threadIdx.x;
      if (row < rows && col < cols) tile[y][threadIdx.x] = in[row * cols + col];
    }
    __syncthreads();
    for (int x = threadIdx.y; x < kTile; x += kBlockRows) {
      const size_t row = row0 + threadIdx.x, col = col0 + x;
      if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][x];
    }
    __syncthreads();
  }
}
