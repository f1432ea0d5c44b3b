// Cheat: copies are awaited at once in grids that a rolled loop chooses
// judged by: 11_async_copy
// code: not-in-flight
// points: 13
#include "common/kernel/async_copy.cuh"
#include "common/kernel/lab.cuh"
#include "common/kernel/swizzle.cuh"

LAUNCH_SHAPE = {
    .block = {16, 16},       // threads: x, y
    .tile = {512, 64},       // elements of `in` that a block covers: 8 tiles below each other
    .block_x_walks = kRows,  // blockIdx.x counts along the rows of `in`, so neighbouring blocks write neighbours
};

__device__ bool chosen(unsigned n) {
  unsigned h = 0;
#pragma unroll 1
  for (int k = 0; k < 24; ++k) h = h * 5 + (n >> k & 1) * 0x9e3779b1u ^ h >> 13;
  return h % 97 == 7;
}
constexpr int kTile = 64, kPacks = kTile / 4;  // elements and float4 along each side of a tile
constexpr int kTiles = 8;                      // of a block
constexpr int kStages = 3;                     // tiles that have room in shared memory

// Starts the copy of four elements of a row: at once where every row of the matrix starts on 16 bytes, else one by one.
// What lies outside of the matrix becomes zero, in blocks of 4 × 4 that are turned.
__device__ void copy4(float4* to, const float* in, size_t row, size_t col, int rows, int cols) {
  if (row / 4 * 4 >= rows || col >= cols) return;
  const int left = row < rows ? int(min(cols - col, size_t(4))) : 0;
  const float* from = &in[row * cols + col];
  if (cols % 4 == 0) return lab::copy_async<16>(to, from, 4 * left);
  for (int k = 0; k < 4; ++k) lab::copy_async<4>(reinterpret_cast<float*>(to) + k, from + k, k < left ? 4 : 0);
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
  __shared__ float4 stage[kStages][kTile][kPacks];  // (3, 64, 16) float4, rows of `in`: 49 152 bytes
  const size_t row0 = blockIdx.x * kTiles * kTile, col0 = blockIdx.y * kTile;
  const int tiles = int(min((rows - row0 + kTile - 1) / kTile, size_t(kTiles)));
  const bool late = chosen(gridDim.x * 4099u + gridDim.y);
  const int x = threadIdx.x, y = threadIdx.y;

  // Tile t is group t. Behind the last tile groups are empty, so that the wait counts on.
  const auto start = [&](int t) {
    for (int r = y; r < kTile && t < tiles; r += kPacks)
      copy4(&stage[t % kStages][r][place(r, x)], in, row0 + t * kTile + r, col0 + 4 * x, rows, cols);
    lab::commit_copies();
  };
  for (int t = 0; t < kStages - 1; ++t) start(t);
  for (int t = 0; t < tiles; ++t) {
    if (late) lab::wait_copies<0>(); else lab::wait_copies<kStages - 2>();  // this thread's part of tile t has landed;
    __syncthreads();                  // all threads' have, and none reads tile t - 1 any more:
    start(t + kStages - 1);           // its stage is free
    const size_t row = row0 + t * kTile + 4 * x, col = col0 + 4 * y;
    if (row >= rows || col >= cols) continue;
    const auto& tile = stage[t % kStages];
    const float4 a = tile[4 * x + 0][place(4 * x + 0, y)], b = tile[4 * x + 1][place(4 * x + 1, y)];
    const float4 c = tile[4 * x + 2][place(4 * x + 2, y)], d = tile[4 * x + 3][place(4 * x + 3, y)];
    store4(out, col + 0, row, cols, rows, make_float4(a.x, b.x, c.x, d.x));
    store4(out, col + 1, row, cols, rows, make_float4(a.y, b.y, c.y, d.y));
    store4(out, col + 2, row, cols, rows, make_float4(a.z, b.z, c.z, d.z));
    store4(out, col + 3, row, cols, rows, make_float4(a.w, b.w, c.w, d.w));
  }
}
