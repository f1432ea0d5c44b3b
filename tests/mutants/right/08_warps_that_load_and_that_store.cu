// Right: two warps load and turn, two store, with barriers that one side only arrives at
// judged by: 08_vectorized_swizzle
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {128, 1}, .tile = {64, 32}, .block_x_walks = kRows};
__device__ float4 ld(const float* in, size_t r, size_t c, size_t rows, size_t cols) {
  float v[4] = {0, 0, 0, 0};
  if (r < rows && c < cols) {
    if (cols % 4 == 0) return __ldg(reinterpret_cast<const float4*>(in + r * cols + c));
    for (int k = 0; k < 4; ++k) if (c + k < cols) v[k] = in[r * cols + c + k];
  }
  return make_float4(v[0], v[1], v[2], v[3]);
}
__device__ void st(float* out, size_t r, size_t c, size_t rows, size_t cols, float4 v) {
  if (r >= rows || c >= cols) return;
  if (cols % 4 == 0) { __stcg(reinterpret_cast<float4*>(out + r * cols + c), v); return; }
  float* p = out + r * cols + c;
  p[0] = v.x;
  if (c + 1 < cols) p[1] = v.y;
  if (c + 2 < cols) p[2] = v.z;
  if (c + 3 < cols) p[3] = v.w;
}
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 s[2][32][8];
  const size_t c0 = blockIdx.y * size_t(32);
  const int t = threadIdx.x % 64, x = t % 8, y = t / 8;
  if (threadIdx.x < 64) {
    for (int n = 0; n < 2; ++n) {
      const size_t r0 = blockIdx.x * size_t(64) + 32 * n;
      float4 a[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) a[k] = ld(in, r0 + 4 * y + k, c0 + 4 * x, rows, cols);
      s[n][4 * x + 0][y ^ x] = make_float4(a[0].x, a[1].x, a[2].x, a[3].x);
      s[n][4 * x + 1][y ^ x] = make_float4(a[0].y, a[1].y, a[2].y, a[3].y);
      s[n][4 * x + 2][y ^ x] = make_float4(a[0].z, a[1].z, a[2].z, a[3].z);
      s[n][4 * x + 3][y ^ x] = make_float4(a[0].w, a[1].w, a[2].w, a[3].w);
      asm volatile("bar.arrive %0, 128;" ::"r"(1 + n) : "memory");
    }
  } else {
    for (int n = 0; n < 2; ++n) {
      const size_t r0 = blockIdx.x * size_t(64) + 32 * n;
      asm volatile("bar.sync %0, 128;" ::"r"(1 + n) : "memory");
#pragma unroll
      for (int k = 0; k < 4; ++k) st(out, c0 + y + 8 * k, r0 + 4 * x, cols, rows, s[n][y + 8 * k][x ^ ((y + 8 * k) / 4)]);
    }
  }
}
