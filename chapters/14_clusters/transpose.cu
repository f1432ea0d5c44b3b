// 14 clusters: two blocks share a tile that is twice as long as one block's.
#include "common/kernel/cluster.cuh"
#include "common/kernel/lab.cuh"
#include "common/kernel/swizzle.cuh"

LAUNCH_SHAPE = {
    .block = {16, 16},       // threads: x, y
    .tile = {64, 64},        // elements of `in` that a block covers: rows, cols
    .block_x_walks = kRows,  // blockIdx.x counts tiles along the rows of `in`
    .cluster = {2, 1},       // blocks: the tiles of two neighbours lie side by side in the rows of `out`
};

PREDICTIONS = {
    .shared_load_wavefronts = 0,   // whole launch: loads from one's own tile
    .shared_store_wavefronts = 0,  // whole launch: stores to one's own tile, once the cluster is used
};

constexpr int kTile = 64;          // rows and columns of `in` that a block reads
constexpr int kPacks = kTile / 4;  // float4 along each side of the tile

// Where float4 `pack` of tile row `row` is kept. Stores go to every fourth row, so rows are counted in fours.
__device__ int place(int row, int pack) { return lab::swizzle(row / 4, pack, kPacks * 16, 16, 16); }

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  // TODO (about 15 lines): below is chapter 08, each block for itself: it writes rows of 64 floats. Let the two blocks of
  // a cluster write 32 rows of 128 floats each. A row of the tile then has 32 float4: the first 16 come from block 0 of
  // the cluster, the others from block 1 (lab::rank_in_cluster). Of what a block reads, columns 0 to 31 belong to block
  // 0's tile: lab::in_block gives the place there. When has the other block begun? When is all of a row there?
  __shared__ float4 tile[kTile][kPacks];  // (64, 16) float4, rows of `out`: 16 384 bytes
  const size_t row0 = size_t(blockIdx.x) * kTile, col0 = size_t(blockIdx.y) * kTile;
  const int x = threadIdx.x, y = threadIdx.y;
  const auto load = [&](size_t row) {
    const bool there = row < rows && col0 + 4 * x < cols;
    return there ? *reinterpret_cast<const float4*>(&in[row * cols + col0 + 4 * x]) : float4{};
  };
  const float4 a = load(row0 + 4 * y), b = load(row0 + 4 * y + 1), c = load(row0 + 4 * y + 2), d = load(row0 + 4 * y + 3);

  float4* mine = &tile[4 * x][place(4 * x, y)];
  mine[0 * kPacks] = make_float4(a.x, b.x, c.x, d.x);
  mine[1 * kPacks] = make_float4(a.y, b.y, c.y, d.y);
  mine[2 * kPacks] = make_float4(a.z, b.z, c.z, d.z);
  mine[3 * kPacks] = make_float4(a.w, b.w, c.w, d.w);
  __syncthreads();

  for (int r = y; r < kTile; r += blockDim.y) {
    if (col0 + r < cols && row0 + 4 * x < rows)
      *reinterpret_cast<float4*>(&out[(col0 + r) * rows + row0 + 4 * x]) = tile[r][place(r, x)];
  }
}
