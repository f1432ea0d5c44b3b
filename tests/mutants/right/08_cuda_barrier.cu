// Right: cuda::barrier orders the tile
// judged by: 08_vectorized_swizzle
#include "common/kernel/lab.cuh"
#include <cuda/barrier>
LAUNCH_SHAPE = {.block = {64, 1}, .tile = {32, 32}, .block_x_walks = kRows};
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
  __shared__ float4 s[32][8];
  #pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, 64);
  __syncthreads();
  const size_t r0 = blockIdx.x * size_t(32), c0 = blockIdx.y * size_t(32);
  const int x = threadIdx.x % 8, y = threadIdx.x / 8;
  float4 a[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) a[k] = ld(in, r0 + 4 * y + k, c0 + 4 * x, rows, cols);
  const float4 v[4] = {make_float4(a[0].x, a[1].x, a[2].x, a[3].x), make_float4(a[0].y, a[1].y, a[2].y, a[3].y), make_float4(a[0].z, a[1].z, a[2].z, a[3].z), make_float4(a[0].w, a[1].w, a[2].w, a[3].w)};
#pragma unroll
  for (int k = 0; k < 4; ++k) s[4 * x + k][y ^ x] = v[k];
  bar.arrive_and_wait();
#pragma unroll
  for (int k = 0; k < 4; ++k) st(out, c0 + y + 8 * k, r0 + 4 * x, cols, rows, s[y + 8 * k][x ^ ((y + 8 * k) / 4)]);
}
