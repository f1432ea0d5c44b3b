// Right: permutes in PTX, unions, plans by size
// judged by: 10_narrow_types
#include "common/kernel/lab.cuh"
template <int B>
struct Plan;  // side, elements of 16 bytes, side of a block
template <>
struct Plan<1> {
  enum { S = 128, C = 16, K = 4 };
  using Part = unsigned;
};
template <>
struct Plan<2> {
  enum { S = 64, C = 8, K = 4 };
  using Part = uint2;
};
template <>
struct Plan<4> {
  enum { S = 64, C = 4, K = 4 };
  using Part = uint4;
};
template <>
struct Plan<8> {
  enum { S = 64, C = 2, K = 2 };
  using Part = uint4;
};
template <>
struct Plan<16> {
  enum { S = 32, C = 1, K = 1 };
  using Part = uint4;
};
PREDICTIONS = {.global_load_sectors_per_request = 2,
               .shared_load_wavefronts_per_request = 4,
               .shared_store_wavefronts_per_request = 1};
static __device__ __forceinline__ unsigned prmt(unsigned a, unsigned b, unsigned s) {
  unsigned d;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(s));
  return d;
}
__device__ __forceinline__ void rotate(unsigned (&v)[4]) {
  const unsigned p = prmt(v[0], v[2], 0x5140), q = prmt(v[1], v[3], 0x5140), r = prmt(v[0], v[2], 0x7362),
                 s = prmt(v[1], v[3], 0x7362);
  v[0] = prmt(p, q, 0x5140), v[1] = prmt(p, q, 0x7362), v[2] = prmt(r, s, 0x5140), v[3] = prmt(r, s, 0x7362);
}
__device__ __forceinline__ void rotate(uint2 (&v)[4]) {
  uint2 w[4];
  w[0] = {prmt(v[0].x, v[1].x, 0x5410), prmt(v[2].x, v[3].x, 0x5410)};
  w[1] = {prmt(v[0].x, v[1].x, 0x7632), prmt(v[2].x, v[3].x, 0x7632)};
  w[2] = {prmt(v[0].y, v[1].y, 0x5410), prmt(v[2].y, v[3].y, 0x5410)};
  w[3] = {prmt(v[0].y, v[1].y, 0x7632), prmt(v[2].y, v[3].y, 0x7632)};
#pragma unroll
  for (int k = 0; k < 4; ++k) v[k] = w[k];
}
__device__ __forceinline__ void rotate(uint4 (&v)[4]) {
  const uint4 a = v[0], b = v[1], c = v[2], d = v[3];
  v[0] = {a.x, b.x, c.x, d.x};
  v[1] = {a.y, b.y, c.y, d.y};
  v[2] = {a.z, b.z, c.z, d.z};
  v[3] = {a.w, b.w, c.w, d.w};
}
__device__ __forceinline__ void rotate(uint4 (&v)[2]) {
  const uint4 a = v[0], b = v[1];
  v[0] = {a.x, a.y, b.x, b.y};
  v[1] = {a.z, a.w, b.z, b.w};
}
__device__ __forceinline__ void rotate(uint4 (&)[1]) {}
template <class T>
__device__ __forceinline__ void whole(T* out, const T* in, size_t rows, size_t cols) {
  using P = Plan<sizeof(T)>;
  using Part = typename P::Part;
  constexpr int S = P::S, C = P::C, K = P::K, L = S / C, M = L < 8 ? L : 8;
  __shared__ uint4 tile[S * L];
  const size_t r0 = blockIdx.x * size_t(S), c0 = blockIdx.y * size_t(S);
  const int t = threadIdx.y * 16 + threadIdx.x;
  if (rows % C || cols % C) {
    for (int i = t; i < S * S; i += 256) {
      const size_t r = r0 + i % S, c = c0 + i / S;
      if (r < rows && c < cols) out[c * rows + r] = in[r * cols + c];
    }
    return;
  }
  for (int i = t; i < S / K * L; i += 256) {
    const int bx = i % L, by = i / L * K;
    if (r0 + by >= rows || c0 + bx * C >= cols) continue;
    union {
      uint4 line;
      Part part[C / K];
    } u[K];
    const T* p = in + (r0 + by) * cols + c0 + bx * C;
#pragma unroll
    for (int k = 0; k < K; ++k, p += cols) u[k].line = *(const uint4*)p;
#pragma unroll
    for (int c = 0; c < C / K; ++c) {
      Part v[K];
#pragma unroll
      for (int k = 0; k < K; ++k) v[k] = u[k].part[c];
      rotate(v);
#pragma unroll
      for (int k = 0; k < K; ++k) {
        const int y = bx * C + c * K + k;
        ((Part*)&tile[y * L + (by / C ^ (y / C & (M - 1)))])[by % C / K] = v[k];
      }
    }
  }
  __syncthreads();
  for (int i = t; i < S * L; i += 256) {
    const int y = i / L, x = i % L;
    if (c0 + y < cols && r0 + x * C < rows)
      *(uint4*)(out + (c0 + y) * rows + r0 + x * C) = tile[y * L + (x ^ (y / C & (M - 1)))];
  }
}
#define WAY(NAME, T)                                                                                \
  LAUNCH_SHAPE_OF(NAME) = {                                                                         \
      .block = {16, 16}, .tile = {Plan<sizeof(T)>::S, Plan<sizeof(T)>::S}, .block_x_walks = kRows}; \
  extern "C" __global__ void NAME(T* out, const T* in, int rows, int cols) { whole<T>(out, in, rows, cols); }
LAUNCH_SHAPE = {.block = {16, 16}, .tile = {64, 64}, .block_x_walks = kRows};
WAY(transpose, float)
WAY(transpose_u8, unsigned char)
WAY(transpose_u16, unsigned short)
WAY(transpose_u64, double)
WAY(transpose_u128, float4)
