// Right: accesses and barrier by assembly
// judged by: 08_vectorized_swizzle
#include "common/kernel/lab.cuh"
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
  const size_t r0 = blockIdx.x * size_t(32), c0 = blockIdx.y * size_t(32);
  const int x = threadIdx.x % 8, y = threadIdx.x / 8;
  if ((rows | cols) & 3) {
    for (int i = threadIdx.x; i < 1024; i += 64) { const size_t r = r0 + i / 32, c = c0 + i % 32; if (r < rows && c < cols) out[c * rows + r] = in[r * cols + c]; }
    return;
  }
  const unsigned at = unsigned(__cvta_generic_to_shared(s));
  float a[4][4] = {};
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (r0 + 4 * y + k < rows && c0 + 4 * x < cols)
      asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(a[k][0]), "=f"(a[k][1]), "=f"(a[k][2]), "=f"(a[k][3]) : "l"(in + (r0 + 4 * y + k) * cols + c0 + 4 * x));
#pragma unroll
  for (int k = 0; k < 4; ++k)
    asm volatile("st.shared.v4.f32 [%0], {%1,%2,%3,%4};" ::"r"(at + 16 * ((4 * x + k) * 8 + (y ^ x))), "f"(a[0][k]), "f"(a[1][k]), "f"(a[2][k]), "f"(a[3][k]) : "memory");
  asm volatile("barrier.sync 0;" ::: "memory");
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int r = y + 8 * k; float4 v;
    asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(at + 16 * (r * 8 + (x ^ (r / 4)))) : "memory");
    st(out, c0 + r, r0 + 4 * x, cols, rows, v);
  }
}
