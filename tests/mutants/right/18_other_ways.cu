// Right: page 3 waits for its block, page 4 for all copies in its last turn, page 8 takes the blocks in their own order
// judged by: 18_bugs_in_the_wild
#define bug_3 fixed_3
#define bug_4 fixed_4
#define bug_8 fixed_8
#include "solutions/18_bugs_in_the_wild/transpose.cu"
#undef bug_3
#undef bug_4
#undef bug_8

extern "C" __global__ void bug_3(float* out, const float* in, int rows, int cols) {
  __shared__ float tiles[kWarps][kTile][kTile + 1];
  const size_t row0 = (blockIdx.y * kWarps + threadIdx.y) * kTile, col0 = blockIdx.x * kTile;
  for (int y = 0; y < kTile; ++y) {
    const size_t row = row0 + y, col = col0 + threadIdx.x;
    if (row < rows && col < cols) tiles[threadIdx.y][y][threadIdx.x] = in[row * cols + col];
  }
  __syncthreads();
  for (int x = 0; x < kTile; ++x) {
    const size_t row = row0 + threadIdx.x, col = col0 + x;
    if (row < rows && col < cols) out[col * rows + row] = tiles[threadIdx.y][threadIdx.x][x];
  }
}

extern "C" __global__ void bug_4(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[2][kTile][kTile + 1];
  const size_t row0 = blockIdx.y * kTile, col0 = blockIdx.x * kStages * kTile;
  load_stage(tile[0], in, row0, col0, rows, cols);
  commit();
  for (int k = 0; k < kStages; ++k) {
    if (k + 1 < kStages) {
      load_stage(tile[(k + 1) % 2], in, row0, col0 + (k + 1) * kTile, rows, cols);
      commit();
      wait_for_all_but_newest();
    } else {
      asm volatile("cp.async.wait_all;" ::: "memory");
    }
    __syncthreads();
    for (int x = threadIdx.y; x < kTile; x += kBlockRows) {
      const size_t row = row0 + threadIdx.x, col = col0 + k * kTile + x;
      if (row < rows && col < cols) out[col * rows + row] = tile[k % 2][threadIdx.x][x];
    }
    __syncthreads();
  }
}

extern "C" __global__ void bug_8(float* out, const float* in, int rows, int cols) {
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
