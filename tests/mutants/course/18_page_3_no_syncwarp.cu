// Mutant: the finding is right, and the kernel is not fixed
// judged by: 18_bugs_in_the_wild
// fails: page-3
// code: missing-syncwarp
// says: __syncwarp
#define bug_3 fixed_page
#include "solutions/18_bugs_in_the_wild/transpose.cu"
#undef bug_3

extern "C" __global__ void bug_3(float* out, const float* in, int rows, int cols) {
  __shared__ float tiles[kWarps][kTile][kTile + 1];
  float(*tile)[kTile + 1] = tiles[threadIdx.y];
  const size_t row0 = (blockIdx.y * kWarps + threadIdx.y) * kTile;
  const size_t col0 = blockIdx.x * kTile;
  for (int y = 0; y < kTile; ++y) {
    const size_t row = row0 + y, col = col0 + threadIdx.x;
    if (row < rows && col < cols) tile[y][threadIdx.x] = in[row * cols + col];
  }
  // One warp runs in step, so no barrier is needed here.
  for (int x = 0; x < kTile; ++x) {
    const size_t row = row0 + threadIdx.x, col = col0 + x;
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][x];
  }
}
