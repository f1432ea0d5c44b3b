// Mutant: the rows below the tile are loaded on every matrix
// judged by: 15_speed_of_light
// fails: ideal-sectors
// code: uncoalesced
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

// A block's share of a row of `out` begins with the first sector that begins there: where the row starts in the middle
// of one, a float4 later. It ends where the share of the next block begins.
struct Tile {
  float4 packs[kTile][kPacks];  // rows of `out`: 16 384 bytes

  // Where float4 `pack` of a row is kept: stores go to every fourth row. Pack 16 is in the place of pack 0.
  __device__ float4& at(int row, int pack) {
    return packs[row][lab::swizzle(row / 4, pack % kPacks, kTile * 4, 16, 16)];
  }
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ Tile tile;
  const size_t row0 = blockIdx.x * kTile;
  const size_t col0 = blockIdx.y * kTile;
  const int x = threadIdx.x, y = threadIdx.y;
  const int odd = rows / 4 % 2;  // 1: rows of `out` are whole sectors and half of one, so every second starts inside of one

  // Along the rows of `in`. Each thread turns 4 × 4; those of the last four also those below the tile, the halo.
  const auto turn = [&](int pack, float4 a, float4 b, float4 c, float4 d) {
    const float4 turned[4] = {make_float4(a.x, b.x, c.x, d.x), make_float4(a.y, b.y, c.y, d.y),
                              make_float4(a.z, b.z, c.z, d.z), make_float4(a.w, b.w, c.w, d.w)};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int late = k & odd;  // tiles start at even rows
      if (pack == kPacks && late == 0) asm volatile("" ::"f"(turned[k].x), "f"(turned[k].y), "f"(turned[k].z), "f"(turned[k].w));
      else if (pack >= late && pack < kPacks + late) tile.at(4 * x + k, pack) = turned[k];
      else if (row0 == 0 && pack == 0) store4(out, col0 + 4 * x + k, 0, cols, rows, turned[k]);  // before the first sector
    }
  };
  const auto row = [&](int r) { return load4(in, row0 + r, col0 + 4 * x, rows, cols); };
  const float4 a = row(4 * y), b = row(4 * y + 1), c = row(4 * y + 2), d = row(4 * y + 3);
  if (y == kPacks - 1) turn(kPacks, row(kTile), row(kTile + 1), row(kTile + 2), row(kTile + 3));
  turn(y, a, b, c, d);
  __syncthreads();

  // Along the rows of `out`: neighbouring lanes write neighbouring float4, two whole lines of 128 bytes.
#pragma unroll
  for (int r = y; r < kTile; r += kPacks) {
    const int pack = x + (r & odd);
    store4(out, col0 + r, row0 + 4 * pack, cols, rows, tile.at(r, pack));
  }
}
