// 11 asynchronous copies: a block turns 8 tiles, one after the other.
#include "common/kernel/async_copy.cuh"
#include "common/kernel/lab.cuh"
#include "common/kernel/swizzle.cuh"

LAUNCH_SHAPE = {
    .block = {16, 16},       // threads: x, y
    .tile = {512, 64},       // elements of `in` that a block covers: 8 tiles below each other
    .block_x_walks = kRows,  // blockIdx.x counts along the rows of `in`, so neighbouring blocks write neighbours
};

// TODO: your answers, for three stages.
PREDICTIONS = {
    .shared_store_wavefronts_per_request = 0,  // copies of 4 bytes, where rows do not start on 16
    .loaded_bytes_at_once_per_thread = 0,
};

constexpr int kTile = 64;          // elements along each side of a tile
constexpr int kPacks = kTile / 4;  // float4 along each side of a tile
constexpr int kTiles = 8;          // of a block
constexpr int kStages = 1;         // tiles that have room in shared memory

// Four elements of a row: in one access where every row of the matrix starts on 16 bytes, else one by one.
__device__ float4 load4(const float* in, size_t row, size_t col, int rows, int cols) {
  float4 v = make_float4(0, 0, 0, 0);
  if (row >= rows || col >= cols) return v;
  const float* p = &in[row * cols + col];
  if (cols % 4 == 0) return *reinterpret_cast<const float4*>(p);
  v.x = p[0];
  if (col + 1 < cols) v.y = p[1];
  if (col + 2 < cols) v.z = p[2];
  if (col + 3 < cols) v.w = p[3];
  return v;
}

__device__ void store4(float* out, size_t row, size_t col, int rows, int cols, float4 v) {
  if (row >= rows || col >= cols) return;
  float* p = &out[row * cols + col];
  if (cols % 4 == 0) {
    *reinterpret_cast<float4*>(p) = v;
    return;
  }
  p[0] = v.x;
  if (col + 1 < cols) p[1] = v.y;
  if (col + 2 < cols) p[2] = v.z;
  if (col + 3 < cols) p[3] = v.w;
}

// Where float4 `pack` of tile row `row` is kept. Loads go to every fourth row, so rows are counted in fours.
__device__ int place(int row, int pack) { return lab::swizzle(row / 4, pack, kTile * 4, 16, 16); }

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 stage[kStages][kTile][kPacks];  // float4, rows of `in`: 16 384 bytes for each stage
  const size_t row0 = blockIdx.x * kTiles * kTile;
  const size_t col0 = blockIdx.y * kTile;
  const int tiles = int(min((rows - row0 + kTile - 1) / kTile, size_t(kTiles)));
  const int x = threadIdx.x, y = threadIdx.y;

  for (int t = 0; t < tiles; ++t) {
    // TODO (about 15 lines): this loads, waits, stores; loads, waits, stores. Let lab::copy_async<16> copy the tile in
    // place of load4 (and lab::copy_async<4> where rows do not start on 16 bytes; what lies outside of the matrix reads
    // 0 bytes). Commit each tile as one group. Then give the tiles kStages places, start tile t + kStages - 1 before
    // tile t is turned, and wait for the group of tile t alone. Which barriers does that need, and where?
    const auto& tile = stage[t % kStages];
    for (int r = y; r < kTile; r += kPacks)
      stage[t % kStages][r][place(r, x)] = load4(in, row0 + t * kTile + r, col0 + 4 * x, rows, cols);
    __syncthreads();
    const float4 a = tile[4 * x + 0][place(4 * x + 0, y)], b = tile[4 * x + 1][place(4 * x + 1, y)];
    const float4 c = tile[4 * x + 2][place(4 * x + 2, y)], d = tile[4 * x + 3][place(4 * x + 3, y)];
    const size_t row = row0 + t * kTile + 4 * x, col = col0 + 4 * y;
    store4(out, col + 0, row, cols, rows, make_float4(a.x, b.x, c.x, d.x));
    store4(out, col + 1, row, cols, rows, make_float4(a.y, b.y, c.y, d.y));
    store4(out, col + 2, row, cols, rows, make_float4(a.z, b.z, c.z, d.z));
    store4(out, col + 3, row, cols, rows, make_float4(a.w, b.w, c.w, d.w));
    __syncthreads();
  }
}
