// Mutant: the finding is right, and the kernel is not fixed
// judged by: 18_bugs_in_the_wild
// fails: page-2
// code: bank-conflict
// says: wavefronts
#define bug_2 fixed_page
#include "solutions/18_bugs_in_the_wild/transpose.cu"
#undef bug_2

extern "C" __global__ void bug_2(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile + 1][kTile];
  const size_t row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile;
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {
    const size_t row = row0 + y, col = col0 + threadIdx.x;
    if (row < rows && col < cols) tile[y][threadIdx.x] = in[row * cols + col];
  }
  __syncthreads();
  for (int x = threadIdx.y; x < kTile; x += kBlockRows) {
    const size_t row = row0 + threadIdx.x, col = col0 + x;
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][x];
  }
}
