// Right: a cluster of eight blocks, rows of 512; warps of 8 by 4 fill the lines to each of them
// judged by: 14_clusters
#include "common/kernel/cluster.cuh"
#include "common/kernel/lab.cuh"
#include "common/kernel/swizzle.cuh"

LAUNCH_SHAPE = {
    .block = {16, 16},       // threads: x, y
    .tile = {64, 64},        // elements of `in` that a block covers: rows, cols
    .block_x_walks = kRows,  // blockIdx.x counts tiles along the rows of `in`
    .cluster = {8, 1},
};

PREDICTIONS = {
    .shared_load_wavefronts = 32768,
    .shared_store_wavefronts = 16384,
};

constexpr int kTile = 64;                     // rows and columns of `in` that a block reads
constexpr int kBlocks = 8;                    // whose tiles lie side by side in the rows of `out`
constexpr int kOutRows = kTile / kBlocks;     // rows of `out` that a block writes
constexpr int kPacks = kBlocks * kTile / 4;  // float4 in each of them

// Where float4 `pack` of tile row `row` is kept: chapter 08's permutation, in rows of 512 bytes.
__device__ int place(int row, int pack) { return lab::swizzle(row / 4, pack, kPacks * 16, 16, 16); }

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 tile[kOutRows][kPacks];  // rows of `out`: 16 384 bytes
  const int rank = lab::rank_in_cluster();
  const size_t row0 = size_t(blockIdx.x) * kTile, col0 = size_t(blockIdx.y) * kTile;
  // A warp is 8 by 4: 8 neighbours with 16 bytes each go to every block of four, a whole line.
  const int n = threadIdx.y * blockDim.x + threadIdx.x, x = n / 32 % 2 * 8 + n % 8, y = n / 64 * 4 + n / 8 % 4;
  const auto load = [&](size_t row) {
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

  // Along the rows of `out`.
  const size_t first = row0 - rank * kTile;
  for (int i = n; i < kOutRows * kPacks; i += blockDim.x * blockDim.y) {
    const int r = i / kPacks, p = i % kPacks;
    const size_t out_row = col0 + rank * kOutRows + r;
    if (out_row < cols && first + 4 * p < rows)
      *reinterpret_cast<float4*>(&out[out_row * rows + first + 4 * p]) = tile[r][place(r, p)];
  }
}
