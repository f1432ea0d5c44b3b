// Cheat: three of four rows leave by bulk copies of 16 bytes: half sectors that were not counted
// judged by: 03_float4
// code: other-path
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 128}, .block_x_walks = kCols};
PREDICTIONS = {
    .global_load_sectors_per_request = 16,
    .global_store_sectors_per_request = 32,
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ alignas(16) float4 stage[4][256];
  const size_t row = 4 * (blockIdx.y * 8 + threadIdx.y), col = 4 * (blockIdx.x * 32 + threadIdx.x);
  const int t = threadIdx.y * 32 + threadIdx.x;
  if (row >= rows || col >= cols) return;
  if (rows % 4 != 0 || cols % 4 != 0) {
    for (size_t y = row; y < row + 4 && y < rows; ++y)
      for (size_t x = col; x < col + 4 && x < cols; ++x) out[x * rows + y] = in[y * cols + x];
    return;
  }
  float4 v[4];
  for (int k = 0; k < 4; ++k) v[k] = *reinterpret_cast<const float4*>(&in[(row + k) * cols + col]);
  *reinterpret_cast<float4*>(&out[col * rows + row]) = make_float4(v[0].x, v[1].x, v[2].x, v[3].x);
  stage[1][t] = make_float4(v[0].y, v[1].y, v[2].y, v[3].y);
  stage[2][t] = make_float4(v[0].z, v[1].z, v[2].z, v[3].z);
  stage[3][t] = make_float4(v[0].w, v[1].w, v[2].w, v[3].w);
  asm volatile("fence.proxy.async;" ::: "memory");
  for (int k = 1; k < 4; ++k)
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;" ::"l"(&out[(col + k) * rows + row]),
                 "r"(unsigned(__cvta_generic_to_shared(&stage[k][t])))
                 : "memory");
  asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}
