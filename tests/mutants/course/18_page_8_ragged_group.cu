// Mutant: the finding is right, and the last group is still too wide
// judged by: 18_bugs_in_the_wild
// fails: page-8
// code: never-written
#define bug_8 fixed_page
#include "solutions/18_bugs_in_the_wild/transpose.cu"
#undef bug_8

extern "C" __global__ void bug_8(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];
  const unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
  const unsigned group = block / (kGroup * gridDim.y);
  const unsigned in_group = block % (kGroup * gridDim.y);
  const unsigned width = kGroup;
  const size_t row0 = size_t{in_group / width} * kTile;
  const size_t col0 = size_t{group * kGroup + in_group % width} * kTile;
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
