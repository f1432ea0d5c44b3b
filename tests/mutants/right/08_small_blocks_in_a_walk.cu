// Right: 64 threads and tiles of 32 by 32; a block takes four of them with the next one's rows already in registers
// judged by: 08_vectorized_swizzle
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {8, 8}, .tile = {128, 32}, .block_x_walks = kRows};

struct Rows4 {
  float4 v[4];
  __device__ void load(const float* in, size_t r, size_t c, size_t rows, size_t cols) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      v[k] = make_float4(0, 0, 0, 0);
      if (r + k >= rows || c >= cols) continue;
      const float* p = in + (r + k) * cols + c;
      if (cols % 4 == 0) {
        v[k] = __ldg(reinterpret_cast<const float4*>(p));
      } else {
        v[k].x = p[0];
        if (c + 1 < cols) v[k].y = p[1];
        if (c + 2 < cols) v[k].z = p[2];
        if (c + 3 < cols) v[k].w = p[3];
      }
    }
  }
};

__device__ void store(float* p, float4 v, size_t left, bool whole) {
  if (whole) return __stcs(reinterpret_cast<float4*>(p), v);
  p[0] = v.x;
  if (left > 1) p[1] = v.y;
  if (left > 2) p[2] = v.z;
  if (left > 3) p[3] = v.w;
}

extern "C" __global__ void transpose(float* out, const float* in, int rows_, int cols_) {
  __shared__ float4 tile[2][32][8];
  const size_t rows = rows_, cols = cols_, r0 = size_t(blockIdx.x) * 128, c0 = size_t(blockIdx.y) * 32;
  const int x = threadIdx.x, y = threadIdx.y;
  Rows4 now, next;
  now.load(in, r0 + 4 * y, c0 + 4 * x, rows, cols);
  for (int t = 0; t < 4 && r0 + 32 * t < rows; ++t, now = next) {
    if (t < 3) next.load(in, r0 + 32 * (t + 1) + 4 * y, c0 + 4 * x, rows, cols);
    auto& room = tile[t & 1];
    room[4 * x + 0][y ^ x] = make_float4(now.v[0].x, now.v[1].x, now.v[2].x, now.v[3].x);
    room[4 * x + 1][y ^ x] = make_float4(now.v[0].y, now.v[1].y, now.v[2].y, now.v[3].y);
    room[4 * x + 2][y ^ x] = make_float4(now.v[0].z, now.v[1].z, now.v[2].z, now.v[3].z);
    room[4 * x + 3][y ^ x] = make_float4(now.v[0].w, now.v[1].w, now.v[2].w, now.v[3].w);
    __syncthreads();
    const size_t r = r0 + 32 * t + 4 * x;
    for (int k = y; k < 32; k += 8)
      if (c0 + k < cols && r < rows) store(out + (c0 + k) * rows + r, room[k][x ^ k / 4], rows - r, rows % 4 == 0);
  }
}
