// Right: blocks inside of the matrix and blocks that it cuts are two instances of a template
// judged by: 08_vectorized_swizzle
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {16, 8}, .tile = {64, 64}, .block_x_walks = kRows};

template <bool kWhole>
__device__ __forceinline__ void turn(float4 (&tile)[64][16], float* out, const float* in, size_t row0, size_t col0, size_t rows, size_t cols) {
  const unsigned x = threadIdx.x;
#pragma unroll
  for (unsigned y = threadIdx.y; y < 16; y += 8) {
    float4 v[4] = {};
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) {
      const size_t row = row0 + 4 * y + k, col = col0 + 4 * x;
      const float* p = in + row * cols + col;
      if (kWhole || (row < rows && col < cols && cols % 4 == 0)) {
        v[k] = __ldg(reinterpret_cast<const float4*>(p));
      } else if (row < rows) {
        if (col + 0 < cols) v[k].x = p[0];
        if (col + 1 < cols) v[k].y = p[1];
        if (col + 2 < cols) v[k].z = p[2];
        if (col + 3 < cols) v[k].w = p[3];
      }
    }
    const unsigned at = y ^ x % 8;
    tile[4 * x + 0][at] = make_float4(v[0].x, v[1].x, v[2].x, v[3].x);
    tile[4 * x + 1][at] = make_float4(v[0].y, v[1].y, v[2].y, v[3].y);
    tile[4 * x + 2][at] = make_float4(v[0].z, v[1].z, v[2].z, v[3].z);
    tile[4 * x + 3][at] = make_float4(v[0].w, v[1].w, v[2].w, v[3].w);
  }
  __syncthreads();
  for (unsigned r = threadIdx.y; r < 64; r += 8) {
    const size_t row = col0 + r, col = row0 + 4 * x;
    const float4 v = tile[r][x ^ r / 4 % 8];
    float* p = out + row * rows + col;
    if (kWhole || (row < cols && col < rows && rows % 4 == 0)) {
      __stcs(reinterpret_cast<float4*>(p), v);
    } else if (row < cols) {
      if (col + 0 < rows) p[0] = v.x;
      if (col + 1 < rows) p[1] = v.y;
      if (col + 2 < rows) p[2] = v.z;
      if (col + 3 < rows) p[3] = v.w;
    }
  }
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 tile[64][16];
  const size_t row0 = size_t(blockIdx.x) * 64, col0 = size_t(blockIdx.y) * 64;
  const bool whole = row0 + 64 <= rows && col0 + 64 <= cols && rows % 4 == 0 && cols % 4 == 0;
  if (whole) return turn<true>(tile, out, in, row0, col0, rows, cols);
  turn<false>(tile, out, in, row0, col0, rows, cols);
}
