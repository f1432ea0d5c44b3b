// Cheat: each block loads half of its own tile and half of its neighbour's, and writes its own
// judged by: 14_clusters
// code: short-runs
#include "common/kernel/cluster.cuh"
#include "common/kernel/lab.cuh"
#include "common/kernel/swizzle.cuh"

LAUNCH_SHAPE = {.block = {16, 16}, .tile = {64, 64}, .block_x_walks = kRows, .cluster = {2, 1}};
PREDICTIONS = {.shared_load_wavefronts = 32768, .shared_store_wavefronts = 16384};

constexpr int kTile = 64, kPacks = 16;
__device__ int place(int row, int pack) { return lab::swizzle(row / 4, pack, kPacks * 16, 16, 16); }

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 tile[kTile][kPacks];
  const int rank = lab::rank_in_cluster();
  const size_t own = size_t(blockIdx.x) * kTile, col0 = size_t(blockIdx.y) * kTile, pair0 = own - kTile * rank;
  const int x = threadIdx.x, y = threadIdx.y, owner = y / 8;
  const int at = 8 * rank + y % 8;  // which four rows of the owner's tile
  const size_t row0 = pair0 + kTile * owner + 4 * at;
  const auto load = [&](size_t row) {
    const bool there = row < rows && col0 + 4 * x < cols;
    return there ? *reinterpret_cast<const float4*>(&in[row * cols + col0 + 4 * x]) : float4{};
  };
  const float4 a = load(row0), b = load(row0 + 1), c = load(row0 + 2), d = load(row0 + 3);
  float4* theirs = lab::in_block(&tile[4 * x][place(4 * x, at)], owner);
  lab::sync_cluster();
  theirs[0 * kPacks] = make_float4(a.x, b.x, c.x, d.x);
  theirs[1 * kPacks] = make_float4(a.y, b.y, c.y, d.y);
  theirs[2 * kPacks] = make_float4(a.z, b.z, c.z, d.z);
  theirs[3 * kPacks] = make_float4(a.w, b.w, c.w, d.w);
  lab::sync_cluster();
  for (int r = y; r < kTile; r += 16)
    if (col0 + r < cols && own + 4 * x < rows)
      *reinterpret_cast<float4*>(&out[(col0 + r) * rows + own + 4 * x]) = tile[r][place(r, x)];
}
