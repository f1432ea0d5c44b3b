// Right: a thread turns two blocks of 4 × 4 below each other; threads in a line
// judged by: 03_float4
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {64, 1}, .tile = {64, 32}, .block_x_walks = kRows};
PREDICTIONS = {.global_load_sectors_per_request = 16, .global_store_sectors_per_request = 16};

__device__ void turn(float* __restrict__ out, const float* __restrict__ in, size_t row, size_t col, size_t rows, size_t cols) {
  if (row >= rows || col >= cols) return;
  if (((rows | cols) & 3) != 0) {
#pragma unroll 1
    for (int i = 0; i < 16; ++i)
      if (row + i / 4 < rows && col + i % 4 < cols) out[(col + i % 4) * rows + row + i / 4] = in[(row + i / 4) * cols + col + i % 4];
    return;
  }
  float v[4][4];
#pragma unroll
  for (int k = 0; k < 4; ++k) reinterpret_cast<float4&>(v[k]) = __ldg(reinterpret_cast<const float4*>(in + (row + k) * cols + col));
#pragma unroll
  for (int k = 0; k < 4; ++k) __stcs(reinterpret_cast<float4*>(out + (col + k) * rows + row), make_float4(v[0][k], v[1][k], v[2][k], v[3][k]));
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const int lane = threadIdx.x;
  const size_t row = size_t(blockIdx.x) * 64 + lane / 8 * 4, col = size_t(blockIdx.y) * 32 + lane % 8 * 4;
  turn(out, in, row, col, rows, cols);
  turn(out, in, row + 32, col, rows, cols);
}
