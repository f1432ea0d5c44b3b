// Right: odd and even as two instances of a template; 32 by 8 threads, unions of four rows
// judged by: 15_speed_of_light
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {64, 64}, .block_x_walks = kRows};

union Quad {
  float4 row[4];
  float f[4][4];
  __device__ float4 column(int j) const { return make_float4(f[0][j], f[1][j], f[2][j], f[3][j]); }
};

template <bool kOdd>
__device__ __forceinline__ void go(float4 (&tile)[64][16], float* __restrict__ out, const float* __restrict__ in, unsigned rows, unsigned cols) {
  const unsigned t = threadIdx.y * 32 + threadIdx.x, x = t & 15, y = t >> 4;
  const size_t r0 = size_t(blockIdx.x) * 64, c0 = size_t(blockIdx.y) * 64, c = c0 + 4 * x;
  const auto load = [&](Quad& q, size_t r) {
    const bool ok = r < rows && c < cols;
    const float* p = in + (ok ? r * cols + c : 0);
#pragma unroll
    for (int k = 0; k < 4; ++k) q.row[k] = ok ? *reinterpret_cast<const float4*>(p + k * size_t(cols)) : make_float4(0, 0, 0, 0);
  };
  const auto slot = [&](unsigned r, unsigned p) -> float4& { return tile[r][(p ^ r >> 2) & 15]; };
  Quad q, h;
  load(q, r0 + 4 * y);
  if (kOdd && y == 0) load(h, r0 + 64);
#pragma unroll
  for (unsigned j = 0; j < 4; ++j) {
    if (kOdd && j % 2 == 1 && y == 0) {
      slot(4 * x + j, 0) = h.column(j);  // in the place of what the block above has written
      if (r0 == 0 && c + j < cols) *reinterpret_cast<float4*>(out + (c + j) * rows) = q.column(j);
    } else {
      slot(4 * x + j, y) = q.column(j);
    }
  }
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned r = y + 16 * k, p = x + (kOdd ? r & 1 : 0);
    if (c0 + r < cols && r0 + 4 * p < rows) *reinterpret_cast<float4*>(out + (c0 + r) * rows + r0 + 4 * p) = slot(r, p & 15);
  }
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 tile[64][16];
  if (rows & 4) return go<true>(tile, out, in, rows, cols);
  go<false>(tile, out, in, rows, cols);
}
