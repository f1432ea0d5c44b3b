// Mutant: a right kernel that is another one: a block turns one tile
// judged by: 18_bugs_in_the_wild
// fails: page-3
// code: changed-idea
#define lab_launch_shape_bug_3 xx
#define bug_3 bug_3_old
#include "solutions/18_bugs_in_the_wild/transpose.cu"
#undef bug_3
#undef lab_launch_shape_bug_3
LAUNCH_SHAPE_OF(bug_3) = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
extern "C" __global__ void bug_3(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];
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
