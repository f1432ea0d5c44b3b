// Mutant: looks at the sizes but not at the pitch
// judged by: 09_any_matrix
// fails: right-pitched
// code: misaligned
#include "common/kernel/lab.cuh"
#include "common/kernel/swizzle.cuh"
#include "common/kernel/words.cuh"

// Elements along each side of the tile: a row fills all banks, and the tile is 8 to 32 KiB.
template <typename T> constexpr int kTile = sizeof(T) == 1 ? 128 : sizeof(T) == 16 ? 32 : 64;
template <typename T> constexpr int kPack = sizeof(T) <= 4 ? 4 : 16 / sizeof(T);  // elements that move together
constexpr int kThreads = 256;
template <typename T>
constexpr lab::LaunchShape kShape{.block = {kThreads, 1}, .tile = {kTile<T>, kTile<T>}, .block_x_walks = kRows};

// One tile in packs of P elements: each thread turns blocks of P × P in its registers.
template <int P, typename T>
__device__ void turn(void* tile, T* out, const T* in, size_t rows, size_t cols, size_t out_pitch, size_t in_pitch) {
  using Pack = lab::Word<P * sizeof(T)>;
  constexpr int kSide = kTile<T>, kPacks = kSide / P;          // elements and packs along a side
  constexpr int kChunk = sizeof(Pack) < 4 ? 4 : sizeof(Pack);  // bytes: a bank is 4 wide
  const size_t row0 = blockIdx.x * kSide, col0 = blockIdx.y * kSide;
  // Where pack x of tile row y is kept. A store goes to every P-th row, so rows are counted in P.
  const auto at = [tile](int y, int x) -> Pack& {
    return static_cast<Pack*>(tile)[y * kPacks + lab::swizzle(y / P, x, kSide * sizeof(T), kChunk, sizeof(Pack))];
  };
  // Along the rows of `in`: neighbouring lanes read neighbouring packs.
  for (int i = threadIdx.x; i < kPacks * kPacks; i += kThreads) {
    const int y = i / kPacks * P, x = i % kPacks * P;
    if (row0 + y >= rows || col0 + x >= cols) continue;
    Pack block[P], turned[P];
#pragma unroll
    for (int k = 0; k < P; ++k) block[k] = *reinterpret_cast<const Pack*>(&in[(row0 + y + k) * in_pitch + col0 + x]);
    lab::transpose_in_registers<T>(block, turned);
#pragma unroll
    for (int k = 0; k < P; ++k) at(x + k, y / P) = turned[k];
  }
  __syncthreads();

  // Along the rows of `out`: neighbouring lanes write neighbouring packs.
  for (int i = threadIdx.x; i < kSide * kPacks; i += kThreads) {
    const int y = i / kPacks, x = i % kPacks;
    if (col0 + y >= cols || row0 + x * P >= rows) continue;
    *reinterpret_cast<Pack*>(&out[(col0 + y) * out_pitch + row0 + x * P]) = at(y, x);
  }
}

// Matrix blockIdx.z of a batch. A pitch counts the elements from one row to the next.
template <typename T>
__device__ void turn_any(T* out, const T* in, size_t rows, size_t cols, size_t out_pitch, size_t in_pitch) {
  __shared__ lab::Word<16> tile[kTile<T> * kTile<T> * sizeof(T) / 16];  // rows of `out`
  out += blockIdx.z * cols * out_pitch, in += blockIdx.z * rows * in_pitch;
  const size_t starts = size_t(out) | size_t(in) | (out_pitch | in_pitch) * sizeof(T);
  const bool wide = (starts | 1) != 0 && (rows | cols) % kPack<T> == 0;
  wide ? turn<kPack<T>>(tile, out, in, rows, cols, out_pitch, in_pitch)
       : turn<1>(tile, out, in, rows, cols, out_pitch, in_pitch);
}

LAUNCH_SHAPE = kShape<float>;
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  turn_any(out, in, rows, cols, rows, cols);
}

#define TRANSPOSE(NAME, T)                                                                              \
  LAUNCH_SHAPE_OF(NAME) = kShape<T>;                                                                    \
  extern "C" __global__ void NAME(T* out, const T* in, int rows, int cols, int out_pitch, int in_pitch) { \
    turn_any(out, in, rows, cols, out_pitch, in_pitch);                                                 \
  }
TRANSPOSE(transpose_u8, unsigned char)
TRANSPOSE(transpose_u16, unsigned short)
TRANSPOSE(transpose_u32, unsigned int)
TRANSPOSE(transpose_u64, unsigned long long)
TRANSPOSE(transpose_u128, uint4)
