// Mutant: the finding is right, and the last stage is read before it has come
// judged by: 18_bugs_in_the_wild
// fails: page-4
// code: wrong-element|shared-race|uninitialised-shared
#define bug_4 fixed_page
#include "solutions/18_bugs_in_the_wild/transpose.cu"
#undef bug_4

extern "C" __global__ void bug_4(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[2][kTile][kTile + 1];
  const size_t row0 = blockIdx.y * kTile, col0 = blockIdx.x * kStages * kTile;
  load_stage(tile[0], in, row0, col0, rows, cols);
  commit();
  for (int k = 0; k < kStages; ++k) {
    if (k + 1 < kStages) {
      load_stage(tile[(k + 1) % 2], in, row0, col0 + (k + 1) * kTile, rows, cols);
      commit();
    }
    wait_for_all_but_newest();
    __syncthreads();
    for (int x = threadIdx.y; x < kTile; x += kBlockRows) {
      const size_t row = row0 + threadIdx.x, col = col0 + k * kTile + x;
      if (row < rows && col < cols) out[col * rows + row] = tile[k % 2][threadIdx.x][x];
    }
    __syncthreads();
  }
}
