// Right: unions and structs without names inside of a function template
// judged by: 10_narrow_types
#include "common/kernel/lab.cuh"
constexpr int kThreads = 256;
template <class T> constexpr int kN = 16 / sizeof(T);
template <class T> constexpr int kSide = sizeof(T) == 1 ? 128 : sizeof(T) == 16 ? 32 : 64;
template <class T> constexpr int kB = kN<T> < 4 ? kN<T> : 4;
template <class T> constexpr lab::LaunchShape kShape{.block = {kThreads, 1}, .tile = {kSide<T>, kSide<T>}, .block_x_walks = kRows};
template <class T>
__device__ void go(T* out, const T* in, size_t rows, size_t cols) {
  constexpr int S = kSide<T>, C = kN<T>, B = kB<T>, W = S / C;
  __shared__ uint4 tile[S * W];
  const size_t r0 = size_t(blockIdx.x) * S, c0 = size_t(blockIdx.y) * S;
  if (rows % C || cols % C) {
    for (int i = threadIdx.x; i < S * S; i += kThreads) {
      const size_t r = r0 + i % S, c = c0 + i / S;
      if (r < rows && c < cols) out[c * rows + r] = in[r * cols + c];
    }
    return;
  }
  for (int i = threadIdx.x; i < S / B * W; i += kThreads) {
    const int x = i % W, y = i / W;
    if (r0 + y * B >= rows || c0 + x * C >= cols) continue;
    union { uint4 q; T e[C]; } line[B];
#pragma unroll
    for (int k = 0; k < B; ++k) line[k].q = *reinterpret_cast<const uint4*>(in + (r0 + y * B + k) * cols + c0 + x * C);
#pragma unroll
    for (int c = 0; c < C; ++c) {
      struct alignas(B * sizeof(T)) { T e[B]; } p;
#pragma unroll
      for (int k = 0; k < B; ++k) p.e[k] = line[k].e[c];
      const int row = x * C + c, chunk = y * B / C;
      char* at = reinterpret_cast<char*>(&tile[row * W + (chunk ^ row / C % (W < 8 ? W : 8))]) + y * B % C * sizeof(T);
      memcpy(__builtin_assume_aligned(at, B * sizeof(T)), &p, sizeof p);
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < S * W; i += kThreads) {
    const int x = i % W, y = i / W;
    if (c0 + y < cols && r0 + x * C < rows)
      *reinterpret_cast<uint4*>(out + (c0 + y) * rows + r0 + x * C) = tile[y * W + (x ^ y / C % (W < 8 ? W : 8))];
  }
}
LAUNCH_SHAPE = kShape<float>;
#define T_OF(NAME, T) LAUNCH_SHAPE_OF(NAME) = kShape<T>; \
  extern "C" __global__ void NAME(T* out, const T* in, int rows, int cols) { go<T>(out, in, rows, cols); }
T_OF(transpose, float) T_OF(transpose_u8, unsigned char) T_OF(transpose_u16, unsigned short)
T_OF(transpose_u64, unsigned long long) T_OF(transpose_u128, uint4)
