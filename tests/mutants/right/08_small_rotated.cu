// Right: 64 threads, a tile of 32 × 32, packs rotated
// judged by: 08_vectorized_swizzle
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {8, 8}, .tile = {32, 32}, .block_x_walks = kRows};
constexpr int T = 32, Q = 8;
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 t[T * Q];
  const size_t r0 = size_t(blockIdx.x) * T, c0 = size_t(blockIdx.y) * T;
  const unsigned x = threadIdx.x, y = threadIdx.y;
  const bool wide = ((rows | cols) & 3) == 0;
  if (wide) {
    float m[4][4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      float4 v = {};
      if (r0 + 4 * y + k < rows && c0 + 4 * x < cols) v = *(const float4*)(in + (r0 + 4 * y + k) * cols + c0 + 4 * x);
      m[k][0] = v.x, m[k][1] = v.y, m[k][2] = v.z, m[k][3] = v.w;
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) t[(4 * x + k) * Q + (y + x) % Q] = make_float4(m[0][k], m[1][k], m[2][k], m[3][k]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const unsigned r = y + 8 * k;
      if (c0 + r < cols && r0 + 4 * x < rows) *(float4*)(out + (c0 + r) * rows + r0 + 4 * x) = t[r * Q + (x + r / 4) % Q];
    }
  } else {
    for (unsigned i = y * 8 + x; i < T * T; i += 64) { const size_t r = r0 + i % T, c = c0 + i / T; if (r < rows && c < cols) out[c * rows + r] = in[r * cols + c]; }
  }
}
