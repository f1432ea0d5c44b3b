// Mutant: indices are computed in 32 bits
// judged by: 08_vectorized_swizzle
// fails: beyond-32-bits
// code: index-overflow
#include "common/kernel/lab.cuh"
#include "common/kernel/swizzle.cuh"

LAUNCH_SHAPE = {
    .block = {16, 16},       // threads: x, y
    .tile = {64, 64},        // elements of `in` that a block covers: rows, cols
    .block_x_walks = kRows,  // blockIdx.x counts tiles along the rows of `in`, so neighbouring blocks write neighbours
};

constexpr int kTile = 64;          // elements along each side of the tile
constexpr int kPacks = kTile / 4;  // float4 along each side of the tile

// Four elements of a row: in one access where every row of the matrix starts on 16 bytes, else one by one.
__device__ float4 load4(const float* in, unsigned row, unsigned col, int rows, int cols) {
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

__device__ void store4(float* out, unsigned row, unsigned col, int rows, int cols, float4 v) {
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

// Where float4 `pack` of tile row `row` is kept. Stores go to every fourth row, so rows are counted in fours.
__device__ int place(int row, int pack) { return lab::swizzle(row / 4, pack, kTile * 4, 16, 16); }

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 tile[kTile][kPacks];  // (64, 16) float4, rows of `out`: 16 384 bytes
  const unsigned row0 = blockIdx.x * kTile;
  const unsigned col0 = blockIdx.y * kTile;
  const int x = threadIdx.x, y = threadIdx.y;

  // Along the rows of `in`: neighbouring lanes read neighbouring float4. Each thread turns a block of 4 × 4.
  const float4 a = load4(in, row0 + 4 * y + 0, col0 + 4 * x, rows, cols);
  const float4 b = load4(in, row0 + 4 * y + 1, col0 + 4 * x, rows, cols);
  const float4 c = load4(in, row0 + 4 * y + 2, col0 + 4 * x, rows, cols);
  const float4 d = load4(in, row0 + 4 * y + 3, col0 + 4 * x, rows, cols);
  tile[4 * x + 0][place(4 * x + 0, y)] = make_float4(a.x, b.x, c.x, d.x);
  tile[4 * x + 1][place(4 * x + 1, y)] = make_float4(a.y, b.y, c.y, d.y);
  tile[4 * x + 2][place(4 * x + 2, y)] = make_float4(a.z, b.z, c.z, d.z);
  tile[4 * x + 3][place(4 * x + 3, y)] = make_float4(a.w, b.w, c.w, d.w);
  __syncthreads();

  // Along the rows of `out`: neighbouring lanes write neighbouring float4.
  for (int r = y; r < kTile; r += kPacks) {
    store4(out, col0 + r, row0 + 4 * x, cols, rows, tile[r][place(r, x)]);
  }
}
