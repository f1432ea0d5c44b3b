// Right: chapter 03 with a line of 128 threads, warps of 4 × 8 blocks, and streaming accesses
// judged by: 03_float4
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {128, 1}, .tile = {128, 16}, .block_x_walks = kCols};
PREDICTIONS = {.global_load_sectors_per_request = 16, .global_store_sectors_per_request = 16,
               .global_load_sectors = 131072, .global_store_sectors = 131072};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const int x = threadIdx.x % 4, y = threadIdx.x / 4;
  const size_t row = size_t(blockIdx.y) * 128 + 4 * y, col = size_t(blockIdx.x) * 16 + 4 * x;
  if (row >= rows || col >= cols) return;
  if ((rows | cols) % 4 != 0) {
    for (size_t r = row; r < min(row + 4, size_t(rows)); ++r)
      for (size_t c = col; c < min(col + 4, size_t(cols)); ++c) out[c * rows + r] = in[r * cols + c];
    return;
  }
  float v[4][4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const float4 line = __ldcs(reinterpret_cast<const float4*>(&in[(row + k) * cols + col]));
    v[k][0] = line.x, v[k][1] = line.y, v[k][2] = line.z, v[k][3] = line.w;
  }
#pragma unroll
  for (int k = 0; k < 4; ++k)
    __stcs(reinterpret_cast<float4*>(&out[(col + k) * rows + row]), make_float4(v[0][k], v[1][k], v[2][k], v[3][k]));
}
