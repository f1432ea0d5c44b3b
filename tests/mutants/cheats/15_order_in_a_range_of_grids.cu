// Cheat: blocks along columns in a range of grids
// judged by: 15_speed_of_light
// code: scattered-blocks
// 15 speed of light: enough bytes on their way, few instructions for each, blocks in the order of `out`, whole sectors.
#include "common/kernel/lab.cuh"
#include "common/kernel/swizzle.cuh"

LAUNCH_SHAPE = {
    .block = {16, 16},       // threads: x, y
    .tile = {64, 64},        // elements of `in` that a block covers: rows, cols
    .block_x_walks = kRows,  // blockIdx.x counts tiles along the rows of `in`, so neighbouring blocks write neighbours
};
PREDICTIONS = {.global_store_sectors_per_request = 16, .loaded_bytes_at_once_per_thread = 64};

constexpr int kTile = 64;          // elements along each side of the tile
constexpr int kPacks = kTile / 4;  // float4 along each side of the tile

// Every row of both matrices starts on 16 bytes.
__device__ float4 load4(const float* in, size_t row, size_t col, int rows, int cols) {
  if (row >= rows || col >= cols) return make_float4(0, 0, 0, 0);
  return *reinterpret_cast<const float4*>(&in[row * cols + col]);
}

__device__ void store4(float* out, size_t row, size_t col, int rows, int cols, float4 v) {
  if (row < rows && col < cols) *reinterpret_cast<float4*>(&out[row * cols + col]) = v;
}

// Where float4 `pack` of tile row `row` is kept: stores go to every fourth row. Pack 16 is in the place of pack 0.
__device__ int place(int row, int pack) { return lab::swizzle(row / 4, pack % kPacks, kTile * 4, 16, 16); }

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 tile[kTile][kPacks];  // (64, 16) float4, rows of `out`: 16 384 bytes
  const unsigned all = gridDim.x * gridDim.y, id = blockIdx.x + gridDim.x * blockIdx.y;
  const bool turned = all > 300 && all % 16 == 12;
  const size_t row0 = size_t(turned ? id / gridDim.y : blockIdx.x) * kTile;
  const size_t col0 = size_t(turned ? id % gridDim.y : blockIdx.y) * kTile;
  const int x = threadIdx.x, y = threadIdx.y;
  // 1: a row of `out` is whole sectors and half of one. Then odd rows start inside of a sector, and a block's share of them
  // begins a float4 later, with the first sector that begins there: packs 1 to 16 in place of 0 to 15.
  const int odd = rows / 4 % 2;
  const bool halo = odd && y == 0;

  // Along the rows of `in`: all that a thread needs is on its way before it waits. Each turns a block of 4 × 4.
  const auto row = [&](int r) { return load4(in, row0 + r, col0 + 4 * x, rows, cols); };
  const float4 a = row(4 * y), b = row(4 * y + 1), c = row(4 * y + 2), d = row(4 * y + 3);
  float4 e = {}, f = {}, g = {}, h = {};
  if (halo) e = row(kTile), f = row(kTile + 1), g = row(kTile + 2), h = row(kTile + 3);
  tile[4 * x + 0][place(4 * x + 0, y)] = make_float4(a.x, b.x, c.x, d.x);
  tile[4 * x + 1][place(4 * x + 1, y)] = make_float4(a.y, b.y, c.y, d.y);
  tile[4 * x + 2][place(4 * x + 2, y)] = make_float4(a.z, b.z, c.z, d.z);
  tile[4 * x + 3][place(4 * x + 3, y)] = make_float4(a.w, b.w, c.w, d.w);
  if (halo) {
    tile[4 * x + 1][place(4 * x + 1, kPacks)] = make_float4(e.y, f.y, g.y, h.y);
    tile[4 * x + 3][place(4 * x + 3, kPacks)] = make_float4(e.w, f.w, g.w, h.w);
    if (row0 == 0) store4(out, col0 + 4 * x + 1, 0, cols, rows, make_float4(a.y, b.y, c.y, d.y));  // before the
    if (row0 == 0) store4(out, col0 + 4 * x + 3, 0, cols, rows, make_float4(a.w, b.w, c.w, d.w));  // first sector
  }
  __syncthreads();

  // Along the rows of `out`: neighbouring lanes write neighbouring float4, two whole lines of 128 bytes.
#pragma unroll
  for (int r = y; r < kTile; r += kPacks) {
    const int pack = x + (r & odd);
    store4(out, col0 + r, row0 + 4 * pack, cols, rows, tile[r][place(r, pack)]);
  }
}
