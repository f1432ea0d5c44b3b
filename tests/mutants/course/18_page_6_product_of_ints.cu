// Mutant: the finding is right, and the product still has 32 bits
// judged by: 18_bugs_in_the_wild
// fails: page-6
// code: index-overflow
// says: 64 bits
#define bug_6 fixed_page
#include "solutions/18_bugs_in_the_wild/transpose.cu"
#undef bug_6

extern "C" __global__ void bug_6(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];
  const int row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile;
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {
    const int row = row0 + y, col = col0 + threadIdx.x;
    const size_t from = size_t{1} * row * cols + col;
    if (row < rows && col < cols) tile[y][threadIdx.x] = in[from];
  }
  __syncthreads();
  for (int x = threadIdx.y; x < kTile; x += kBlockRows) {
    const int row = row0 + threadIdx.x, col = col0 + x;
    const size_t to = col * rows + row;
    if (row < rows && col < cols) out[to] = tile[threadIdx.x][x];
  }
}
