// Cheat: 1,024 threads of which 256 work; a lane of each other warp asks for 16 bytes that no thread waits for
// judged by: 03_float4
// code: idle-threads
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {16, 64}, .tile = {64, 64}, .block_x_walks = kCols};
PREDICTIONS = {
    .global_load_sectors_per_request = 16,
    .global_store_sectors_per_request = 16,
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t row = 4 * (blockIdx.y * 16 + threadIdx.y), col = 4 * (blockIdx.x * 16 + threadIdx.x);
  const int t = threadIdx.y * 16 + threadIdx.x;
  if (threadIdx.y >= 16) {
    if (rows >= 64 && cols >= 64 && t % 32 == 0)
      asm volatile("cp.async.bulk.prefetch.L2.global [%0], 16;" ::"l"(__cvta_generic_to_global(in)));
    return;
  }
  const bool wide = rows % 4 == 0 && cols % 4 == 0, inside = row < rows && col < cols;
  float4 v[4] = {};
  if (wide && inside)
    for (int k = 0; k < 4; ++k) v[k] = *reinterpret_cast<const float4*>(&in[(row + k) * cols + col]);

  if (wide && inside) {
    *reinterpret_cast<float4*>(&out[(col + 0) * rows + row]) = make_float4(v[0].x, v[1].x, v[2].x, v[3].x);
    *reinterpret_cast<float4*>(&out[(col + 1) * rows + row]) = make_float4(v[0].y, v[1].y, v[2].y, v[3].y);
    *reinterpret_cast<float4*>(&out[(col + 2) * rows + row]) = make_float4(v[0].z, v[1].z, v[2].z, v[3].z);
    *reinterpret_cast<float4*>(&out[(col + 3) * rows + row]) = make_float4(v[0].w, v[1].w, v[2].w, v[3].w);
  }
  if (!wide)
    for (size_t y = row; y < row + 4 && y < rows; ++y)
      for (size_t x = col; x < col + 4 && x < cols; ++x) out[x * rows + y] = in[y * cols + x];
}
