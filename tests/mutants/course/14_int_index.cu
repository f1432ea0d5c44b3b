// Mutant: indices are computed in 32 bits
// judged by: 14_clusters
// fails: beyond-32-bits
// code: index-overflow
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
    .shared_load_wavefronts = 32768,
    .shared_store_wavefronts = 16384,
};

constexpr int kTile = 64;                     // rows and columns of `in` that a block reads
constexpr int kBlocks = 2;                    // of a cluster
constexpr int kOutRows = kTile / kBlocks;     // rows of `out` that a block writes
constexpr int kPacks = kBlocks * kTile / 4;  // float4 in each of them

// Where float4 `pack` of tile row `row` is kept: chapter 08's permutation, in rows of 512 bytes.
__device__ int place(int row, int pack) { return lab::swizzle(row / 4, pack, kPacks * 16, 16, 16); }

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 tile[kOutRows][kPacks];  // (32, 32) float4, rows of `out`: 16 384 bytes
  const int rank = lab::rank_in_cluster();
  const unsigned row0 = unsigned(blockIdx.x) * kTile, col0 = unsigned(blockIdx.y) * kTile;
  const int x = threadIdx.x, y = threadIdx.y;
  const auto load = [&](unsigned row) {
    const bool there = row < rows && col0 + 4 * x < cols;
    return there ? *reinterpret_cast<const float4*>(&in[row * cols + col0 + 4 * x]) : float4{};
  };
  const float4 a = load(row0 + 4 * y), b = load(row0 + 4 * y + 1), c = load(row0 + 4 * y + 2), d = load(row0 + 4 * y + 3);

  // Column 4x + k of the tile is a row of `out`. The block that writes it may be the other one.
  const int owner = 4 * x / kOutRows, row = 4 * x % kOutRows, pack = rank * kTile / 4 + y;
  float4* theirs = lab::in_block(&tile[row][place(row, pack)], owner);
  lab::sync_cluster();  // the other block has begun
  theirs[0 * kPacks] = make_float4(a.x, b.x, c.x, d.x);
  theirs[1 * kPacks] = make_float4(a.y, b.y, c.y, d.y);
  theirs[2 * kPacks] = make_float4(a.z, b.z, c.z, d.z);
  theirs[3 * kPacks] = make_float4(a.w, b.w, c.w, d.w);
  lab::sync_cluster();  // both halves of the rows are there

  // Along the rows of `out`, 128 neighbours each: a warp takes a whole row of the tile.
  const int thread = y * blockDim.x + x, lane = thread % 32;
  const unsigned first = row0 - rank * kTile;
  for (int r = thread / 32; r < kOutRows; r += blockDim.x * blockDim.y / 32) {
    const unsigned col = col0 + rank * kOutRows + r;
    if (col < cols && first + 4 * lane < rows)
      *reinterpret_cast<float4*>(&out[col * rows + first + 4 * lane]) = tile[r][place(r, lane)];
  }
}
