// Cheat: lanes load each other's blocks of bytes, turn them in registers, and swap them
// judged by: 10_narrow_types
// code: not-exchanged
#include "common/kernel/lab.cuh"
#include "common/kernel/words.cuh"

constexpr int kThreads = 256;
template <typename T> constexpr int kSide = sizeof(T) == 1 ? 128 : sizeof(T) == 16 ? 32 : 64;  // of the tile, elements
template <typename T> constexpr int kChunk = 16 / sizeof(T);                     // elements in 16 bytes
template <typename T> constexpr int kBlock = kChunk<T> < 4 ? kChunk<T> : 4;      // side of a block that a thread turns
template <typename T>
constexpr lab::LaunchShape kShape{.block = {kThreads, 1}, .tile = {kSide<T>, kSide<T>}, .block_x_walks = kRows};

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
  const bool wide = rows % C == 0 && cols % C == 0;  // every row of both matrices starts on 16 bytes
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

// The neighbour's block of C × C elements: turned in registers, and swapped.
__device__ void put(uint4* slot, uint4 v) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(unsigned(__cvta_generic_to_shared(slot))), "r"(v.x),
               "r"(v.y), "r"(v.z), "r"(v.w)
               : "memory");
}
__device__ uint4 get(const uint4* slot) {
  uint4 v;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(unsigned(__cvta_generic_to_shared(slot)))
               : "memory");
  return v;
}
template <typename T>
__device__ void transpose_own(T* out, const T* in, size_t rows, size_t cols) {
  constexpr int C = kChunk<T>;
  using Part = lab::Word<4 * sizeof(T)>;
  __shared__ uint4 slot[kThreads];
  const int t = threadIdx.x;
  const size_t row = blockIdx.x * 16 * C + t / 16 * C, col = blockIdx.y * 16 * C + t % 16 * C;
  if (rows % C == 0 && cols % (2 * C) == 0) {
    if (row >= rows || col >= cols) return;
    Part line[C][C / 4], turned[C][C / 4];
#pragma unroll
    for (int k = 0; k < C; ++k) *(uint4*)line[k] = *(const uint4*)&in[(row + k) * cols + (col ^ C)];
#pragma unroll
    for (int i = 0; i < C / 4; ++i)
#pragma unroll
      for (int j = 0; j < C / 4; ++j) {
        Part block[4], done[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) block[k] = line[4 * i + k][j];
        turn(block, done, T());
#pragma unroll
        for (int k = 0; k < 4; ++k) turned[4 * j + k][i] = done[k];
      }
#pragma unroll
    for (int k = 0; k < C; ++k) {
      put(&slot[t], *(uint4*)turned[k]);
      __syncwarp(__activemask());
      *(uint4*)&out[(col + k) * rows + row] = get(&slot[t ^ 1]);
      __syncwarp(__activemask());
    }
    return;
  }
  for (size_t y = row; y < row + C && y < rows; ++y)
    for (size_t x = col; x < col + C && x < cols; ++x) out[x * rows + y] = in[y * cols + x];
}
template <typename T>
constexpr lab::LaunchShape kOwn{.block = {kThreads, 1}, .tile = {16 * kChunk<T>, 16 * kChunk<T>}, .block_x_walks = kRows};
#define OWN(NAME, T) LAUNCH_SHAPE_OF(NAME) = kOwn<T>; \
  extern "C" __global__ void NAME(T* out, const T* in, int rows, int cols) { transpose_own(out, in, rows, cols); }

#define TRANSPOSE(NAME, T) LAUNCH_SHAPE_OF(NAME) = kShape<T>; \
  extern "C" __global__ void NAME(T* out, const T* in, int rows, int cols) { transpose_tile(out, in, rows, cols); }
LAUNCH_SHAPE = kShape<float>;
TRANSPOSE(transpose, float) OWN(transpose_u8, unsigned char) TRANSPOSE(transpose_u16, unsigned short)
TRANSPOSE(transpose_u64, unsigned long long) TRANSPOSE(transpose_u128, uint4)
