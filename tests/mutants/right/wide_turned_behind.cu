// Right: blocks of 4 × 4 are turned behind the tile, when they are stored
// judged by: 08_vectorized_swizzle
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {256, 1}, .tile = {64, 64}, .block_x_walks = kRows};
PREDICTIONS = {.global_load_sectors_per_request = 16, .global_store_sectors_per_request = 16, .shared_load_wavefronts_per_request = 4, .shared_store_wavefronts_per_request = 4};

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
  __shared__ float4 s[64 * 16];
  const size_t r0 = blockIdx.x * size_t(64), c0 = blockIdx.y * size_t(64);
  const int t = threadIdx.x;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int y = t / 16 + 16 * i, p = t % 16;
    s[y * 16 + (p ^ (y / 4 % 16))] = ld(in, r0 + y, c0 + 4 * p, rows, cols);
  }
  __syncthreads();
  const int y = t % 16, x = t / 16;
  float4 a[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) a[k] = s[(4 * y + k) * 16 + (x ^ (y % 16))];
  st(out, c0 + 4 * x + 0, r0 + 4 * y, cols, rows, make_float4(a[0].x, a[1].x, a[2].x, a[3].x));
  st(out, c0 + 4 * x + 1, r0 + 4 * y, cols, rows, make_float4(a[0].y, a[1].y, a[2].y, a[3].y));
  st(out, c0 + 4 * x + 2, r0 + 4 * y, cols, rows, make_float4(a[0].z, a[1].z, a[2].z, a[3].z));
  st(out, c0 + 4 * x + 3, r0 + 4 * y, cols, rows, make_float4(a[0].w, a[1].w, a[2].w, a[3].w));
}
