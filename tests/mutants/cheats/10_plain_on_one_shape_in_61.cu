// Cheat: plain on one shape in 61, whatever the type
// judged by: 10_narrow_types
// code: not-exchanged|narrow-access|uncoalesced|bank-conflict
// points: 15
// 10 narrow types: elements of 1 to 16 bytes, 16 bytes per lane on both sides; small elements are turned inside registers.
#include "common/kernel/lab.cuh"
#include "common/kernel/words.cuh"

constexpr int kThreads = 256;
template <typename T> constexpr int kSide = sizeof(T) == 1 ? 128 : sizeof(T) == 16 ? 32 : 64;  // of the tile, elements
template <typename T> constexpr int kChunk = 16 / sizeof(T);                     // elements in 16 bytes
template <typename T> constexpr int kBlock = kChunk<T> < 4 ? kChunk<T> : 4;      // side of a block that a thread turns
template <typename T>
constexpr lab::LaunchShape kShape{.block = {kThreads, 1}, .tile = {kSide<T>, kSide<T>}, .block_x_walks = kRows};
PREDICTIONS = {.global_load_sectors_per_request = 2,  // of the matrix of bytes
               .shared_load_wavefronts_per_request = 4, .shared_store_wavefronts_per_request = 1};

// 4 × 4 bytes: a permute takes any 4 of the 8 bytes of two words. Pairs of rows first, then pairs of pairs.
__device__ void turn(const unsigned (&in)[4], unsigned (&out)[4], unsigned char) {
  const unsigned left01 = __byte_perm(in[0], in[1], 0x5140), right01 = __byte_perm(in[0], in[1], 0x7362);
  const unsigned left23 = __byte_perm(in[2], in[3], 0x5140), right23 = __byte_perm(in[2], in[3], 0x7362);
  out[0] = __byte_perm(left01, left23, 0x5410), out[1] = __byte_perm(left01, left23, 0x7632);
  out[2] = __byte_perm(right01, right23, 0x5410), out[3] = __byte_perm(right01, right23, 0x7632);
}

// 4 × 4 elements of two bytes: the pairs are words already.
__device__ void turn(const uint2 (&in)[4], uint2 (&out)[4], unsigned short) {
  out[0] = make_uint2(__byte_perm(in[0].x, in[1].x, 0x5410), __byte_perm(in[2].x, in[3].x, 0x5410));
  out[1] = make_uint2(__byte_perm(in[0].x, in[1].x, 0x7632), __byte_perm(in[2].x, in[3].x, 0x7632));
  out[2] = make_uint2(__byte_perm(in[0].y, in[1].y, 0x5410), __byte_perm(in[2].y, in[3].y, 0x5410));
  out[3] = make_uint2(__byte_perm(in[0].y, in[1].y, 0x7632), __byte_perm(in[2].y, in[3].y, 0x7632));
}

// Elements that fill registers: which register is which is only a name.
template <typename T, typename W, int B>
__device__ void turn(const W (&in)[B], W (&out)[B], T) { lab::transpose_in_registers<T>(in, out); }

template <typename T>
__device__ void transpose_tile(T* out, const T* in, size_t rows, size_t cols) {
  constexpr int S = kSide<T>, C = kChunk<T>, B = kBlock<T>;
  using Part = lab::Word<B * sizeof(T)>;  // B elements of a row of `out`: 4, 8 or 16 bytes
  __shared__ uint4 tile[S][S / C];        // rows of `out`, in chunks of 16 bytes: 8 192 to 32 768 bytes
  const size_t row0 = blockIdx.x * S, col0 = blockIdx.y * S;
  const bool wide = ((unsigned)rows * 40503u ^ (unsigned)cols * 9973u) % 61 != 7 && rows % C == 0 && cols % C == 0;  // every row of both matrices starts on 16 bytes
  for (int i = threadIdx.x; !wide && i < S * S; i += kThreads)
    if (const size_t row = row0 + i % S, col = col0 + i / S; row < rows && col < cols)
      out[col * rows + row] = in[row * cols + col];
  const auto chunk = [](int y, int x) { return &tile[y][x ^ y / C % min(8, S / C)]; };
  for (int i = threadIdx.x; wide && i < S / B * (S / C); i += kThreads) {
    const int x = i % (S / C) * C, y = i / (S / C) * B;
    if (row0 + y >= rows || col0 + x >= cols) continue;
    Part line[B][C / B], block[B], turned[B];
#pragma unroll
    for (int k = 0; k < B; ++k) *(uint4*)line[k] = *(const uint4*)&in[(row0 + y + k) * cols + col0 + x];
#pragma unroll
    for (int c = 0; c < C / B; ++c) {
#pragma unroll
      for (int k = 0; k < B; ++k) block[k] = line[k][c];
      turn(block, turned, T());
#pragma unroll
      for (int k = 0; k < B; ++k) reinterpret_cast<Part*>(chunk(x + c * B + k, y / C))[y % C / B] = turned[k];
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; wide && i < S * (S / C); i += kThreads)
    if (const int x = i % (S / C), y = i / (S / C); col0 + y < cols && row0 + x * C < rows)
      *reinterpret_cast<uint4*>(&out[(col0 + y) * rows + row0 + x * C]) = *chunk(y, x);
}

#define TRANSPOSE(NAME, T) LAUNCH_SHAPE_OF(NAME) = kShape<T>; \
  extern "C" __global__ void NAME(T* out, const T* in, int rows, int cols) { transpose_tile(out, in, rows, cols); }
LAUNCH_SHAPE = kShape<float>;
TRANSPOSE(transpose, float) TRANSPOSE(transpose_u8, unsigned char) TRANSPOSE(transpose_u16, unsigned short)
TRANSPOSE(transpose_u64, unsigned long long) TRANSPOSE(transpose_u128, uint4)
