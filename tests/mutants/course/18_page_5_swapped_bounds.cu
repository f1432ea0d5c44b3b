// Mutant: the finding is right, and the guard still compares rows with columns
// judged by: 18_bugs_in_the_wild
// fails: page-5
// code: uninitialised-shared|never-written|out-of-bounds
#define bug_5 fixed_page
#include "solutions/18_bugs_in_the_wild/transpose.cu"
#undef bug_5

extern "C" __global__ void bug_5(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];
  const size_t row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile;
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {
    const size_t row = row0 + y, col = col0 + threadIdx.x;
    if (row < rows && col < cols) tile[y][threadIdx.x] = in[row * cols + col];
  }
  __syncthreads();
  for (int x = threadIdx.y; x < kTile; x += kBlockRows) {
    const size_t row = row0 + threadIdx.x, col = col0 + x;
    if (row < cols && col < rows) out[col * rows + row] = tile[threadIdx.x][x];
  }
}
