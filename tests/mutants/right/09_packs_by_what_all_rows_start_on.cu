// Right: packs of four, two or one by what all rows start on, in 64-bit arithmetic and loops that are not unrolled
// judged by: 09_any_matrix
#include <cooperative_groups.h>
#include "common/kernel/lab.cuh"
namespace cg = cooperative_groups;
LAUNCH_SHAPE = {.block = {128, 1}, .tile = {64, 64}, .block_x_walks = kRows};
template <class V> struct Lanes;
template <> struct Lanes<float> { static constexpr int n = 1; };
template <> struct Lanes<float2> { static constexpr int n = 2; };
template <> struct Lanes<float4> { static constexpr int n = 4; };
__device__ inline void spread(float v, float (&e)[1]) { e[0] = v; }
__device__ inline void spread(float2 v, float (&e)[2]) { e[0] = v.x, e[1] = v.y; }
__device__ inline void spread(float4 v, float (&e)[4]) { e[0] = v.x, e[1] = v.y, e[2] = v.z, e[3] = v.w; }
__device__ inline void gather(float& v, const float (&e)[1]) { v = e[0]; }
__device__ inline void gather(float2& v, const float (&e)[2]) { v = make_float2(e[0], e[1]); }
__device__ inline void gather(float4& v, const float (&e)[4]) { v = make_float4(e[0], e[1], e[2], e[3]); }
template <class V>
__device__ void run(cg::thread_block block, float4* room, float* out, const float* in, long long rows, long long cols, long long op, long long ip) {
  constexpr int P = Lanes<V>::n, S = 64 / P;
  V* t = reinterpret_cast<V*>(room);
  const long long r0 = 64ll * blockIdx.x, c0 = 64ll * blockIdx.y;
  const auto swz = [](int y, int x) { return y * S + (x ^ (y / P % S % (32 / P))); };
  for (int i = block.thread_rank(); i < S * S; i += block.size()) {
    const int x = i % S, y = i / S;
    if (r0 + y * P >= rows || c0 + x * P >= cols) continue;
    float e[P][P], f[P];
#pragma unroll
    for (int k = 0; k < P; ++k) {
      spread(*reinterpret_cast<const V*>(in + (r0 + y * P + k) * ip + c0 + x * P), f);
#pragma unroll
      for (int j = 0; j < P; ++j) e[j][k] = f[j];
    }
#pragma unroll
    for (int j = 0; j < P; ++j) gather(t[swz(x * P + j, y)], e[j]);
  }
  block.sync();
  for (int i = block.thread_rank(); i < 64 * S; i += block.size()) {
    const int x = i % S, y = i / S;
    if (c0 + y < cols && r0 + x * P < rows) *reinterpret_cast<V*>(out + (c0 + y) * op + r0 + x * P) = t[swz(y, x)];
  }
}
__device__ void go(float* out, const float* in, int rows, int cols, int op, int ip) {
  __shared__ float4 room[1024];
  out += size_t(blockIdx.z) * cols * op;
  in += size_t(blockIdx.z) * rows * ip;
  const auto b = cg::this_thread_block();
  const unsigned m = unsigned(size_t(out) / 4 | size_t(in) / 4) | unsigned(rows) | unsigned(cols) | unsigned(op) | unsigned(ip);
  switch (m & 3) {
    case 0: return run<float4>(b, room, out, in, rows, cols, op, ip);
    case 2: return run<float2>(b, room, out, in, rows, cols, op, ip);
    default: return run<float>(b, room, out, in, rows, cols, op, ip);
  }
}
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) { go(out, in, rows, cols, rows, cols); }
extern "C" __global__ void transpose_u32(float* out, const float* in, int rows, int cols, int op, int ip) { go(out, in, rows, cols, op, ip); }
