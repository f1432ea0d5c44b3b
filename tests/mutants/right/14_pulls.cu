// Right: each block turns what it has read in its own memory, and loads the other half of its rows from there
// judged by: 14_clusters
#include "common/kernel/cluster.cuh"
#include "common/kernel/lab.cuh"
#include "common/kernel/swizzle.cuh"

LAUNCH_SHAPE = {.block = {16, 16}, .tile = {64, 64}, .block_x_walks = kRows, .cluster = {2, 1}};
PREDICTIONS = {.shared_load_wavefronts = 16384, .shared_store_wavefronts = 32768};

__device__ int place(int row, int pack) { return lab::swizzle(row / 4, pack, 256, 16, 16); }

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 tile[64][16];  // rows of `out`
  const int rank = lab::rank_in_cluster();
  const size_t row0 = size_t(blockIdx.x) * 64, col0 = size_t(blockIdx.y) * 64;
  const int x = threadIdx.x, y = threadIdx.y;
  float4 v[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const size_t row = row0 + 4 * y + k;
    v[k] = row < rows && col0 + 4 * x < cols ? *reinterpret_cast<const float4*>(&in[row * cols + col0 + 4 * x]) : float4{};
  }
  tile[4 * x + 0][place(4 * x + 0, y)] = make_float4(v[0].x, v[1].x, v[2].x, v[3].x);
  tile[4 * x + 1][place(4 * x + 1, y)] = make_float4(v[0].y, v[1].y, v[2].y, v[3].y);
  tile[4 * x + 2][place(4 * x + 2, y)] = make_float4(v[0].z, v[1].z, v[2].z, v[3].z);
  tile[4 * x + 3][place(4 * x + 3, y)] = make_float4(v[0].w, v[1].w, v[2].w, v[3].w);
  lab::sync_cluster();
  const int lane = (16 * y + x) % 32, warp = (16 * y + x) / 32;
  const size_t first = row0 - 64 * rank;
  for (int r = 32 * rank + warp; r < 32 * rank + 32; r += 8) {  // half of the rows, each 128 long
    const float4* from = lab::in_block(&tile[r][place(r, lane % 16)], lane / 16);
    if (col0 + r < cols && first + 4 * lane < rows) *reinterpret_cast<float4*>(&out[(col0 + r) * rows + first + 4 * lane]) = *from;
  }
  lab::sync_cluster();  // no block reads here any more
}
