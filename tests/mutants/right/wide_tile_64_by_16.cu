// Right: a tile of 64 rows and 16 columns: 64 bytes of each row of `in`, 256 of each row of `out`
// judged by: 08_vectorized_swizzle
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {64, 1}, .tile = {64, 16}, .block_x_walks = kRows};
PREDICTIONS = {.shared_load_wavefronts_per_request = 4, .shared_store_wavefronts_per_request = 4,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

constexpr int kRowsIn = 64, kColsIn = 16, kPacksOut = kRowsIn / 4, kPacksIn = kColsIn / 4;

// Eight lanes store side by side to rows 4x of the tile: their packs must lie in eight different chunks.
__device__ int at(int row, int pack) { return row * kPacksOut + (pack ^ row / 4 * (8 / min(8, kPacksIn)) % 8); }

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 tile[kColsIn * kPacksOut];
  const size_t row0 = size_t(blockIdx.x) * kRowsIn, col0 = size_t(blockIdx.y) * kColsIn;
  if ((rows | cols) % 4 != 0) {
    for (int i = threadIdx.x; i < kRowsIn * kColsIn; i += 64)
      if (const size_t row = row0 + i % kRowsIn, col = col0 + i / kRowsIn; row < rows && col < cols)
        out[col * rows + row] = in[row * cols + col];
    return;
  }
  for (int i = threadIdx.x; i < kPacksIn * kPacksOut; i += 64) {
    const int x = i % kPacksIn, y = i / kPacksIn;
    if (row0 + 4 * y >= rows || col0 + 4 * x >= cols) continue;
    const float* from = &in[(row0 + 4 * y) * cols + col0 + 4 * x];
    const float4 a = *reinterpret_cast<const float4*>(from), b = *reinterpret_cast<const float4*>(from + cols);
    const float4 c = *reinterpret_cast<const float4*>(from + 2 * size_t(cols));
    const float4 d = *reinterpret_cast<const float4*>(from + 3 * size_t(cols));
    tile[at(4 * x, y)] = make_float4(a.x, b.x, c.x, d.x);
    tile[at(4 * x + 1, y)] = make_float4(a.y, b.y, c.y, d.y);
    tile[at(4 * x + 2, y)] = make_float4(a.z, b.z, c.z, d.z);
    tile[at(4 * x + 3, y)] = make_float4(a.w, b.w, c.w, d.w);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kColsIn * kPacksOut; i += 64) {
    const int x = i % kPacksOut, y = i / kPacksOut;
    if (col0 + y < cols && row0 + 4 * x < rows)
      *reinterpret_cast<float4*>(&out[(col0 + y) * rows + row0 + 4 * x]) = tile[at(y, x)];
  }
}
