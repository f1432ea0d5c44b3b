// 08 vectorized swizzle: 16-byte accesses on both sides of the tile, and blocks in the order of `out`.
#include "common/kernel/lab.cuh"
#include "common/kernel/swizzle.cuh"

LAUNCH_SHAPE = {
    .block = {16, 16},       // threads: x, y
    .tile = {64, 64},        // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,  // kRows lets neighbouring blocks write neighbours; row0 and col0 then change places
};

constexpr int kTile = 64;      // elements along each side of the tile
constexpr int kThreads = 256;  // of a block

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

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  // TODO (about 15 lines): below is chapter 06 with a larger tile, element by element. Use load4 and store4 on the
  // matrices and float4 on the tile: __shared__ float4 tile[kTile][kTile / 4], rows of `out`. Each thread reads 4 × 4
  // elements, turns them in registers as in chapter 03, and stores four float4 in four rows of the tile. Which chunk
  // of its row holds a float4? lab::swizzle(row, chunk, row_bytes, chunk_bytes, element_bytes) is chapter 07's
  // formula. Think of 8 neighbouring lanes that store at once: which rows do they go to?
  __shared__ float tile[kTile][kTile];  // (64, 64) floats: 16 384 bytes
  const size_t row0 = blockIdx.y * kTile;
  const size_t col0 = blockIdx.x * kTile;
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;

  // Along the rows of `in`: neighbouring lanes read neighbouring elements.
  for (int i = thread; i < kTile * kTile; i += kThreads) {
    const int y = i / kTile, x = i % kTile;
    const size_t row = row0 + y, col = col0 + x;
    if (row < rows && col < cols) tile[y][x ^ y] = in[row * cols + col];
  }
  __syncthreads();

  // Along the rows of `out`: neighbouring lanes write neighbouring elements.
  for (int i = thread; i < kTile * kTile; i += kThreads) {
    const int y = i % kTile, x = i / kTile;
    const size_t row = row0 + y, col = col0 + x;
    if (row < rows && col < cols) out[col * rows + row] = tile[y][x ^ y];
  }
}
