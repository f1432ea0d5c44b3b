// Cheat: whole sectors of zeros are stored, then the elements are put into them by red.or
// judged by: 02_coalescing, 03_float4
// code: other-path
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {16, 16}, .tile = {64, 64}, .block_x_walks = kCols};
PREDICTIONS = {
    .global_load_sectors_per_request = 16,
    .global_store_sectors_per_request = 16,
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float token[16];
  const size_t row = 4 * (blockIdx.y * 16 + threadIdx.y), col = 4 * (blockIdx.x * 16 + threadIdx.x);
  const int t = threadIdx.y * 16 + threadIdx.x;
  const bool wide = rows % 4 == 0 && cols % 4 == 0, inside = row < rows && col < cols;
  float4 v[4] = {};
  if (wide && inside)
    for (int k = 0; k < 4; ++k) v[k] = *reinterpret_cast<const float4*>(&in[(row + k) * cols + col]);
  volatile float* slot = token;
  if (threadIdx.y == 0) slot[threadIdx.x] = v[0].x, v[0].x = slot[threadIdx.x];
  if (wide && inside) {
    const float4 zero = make_float4(0, 0, 0, 0);
    *reinterpret_cast<float4*>(&out[(col + 0) * rows + row]) = zero;
    *reinterpret_cast<float4*>(&out[(col + 1) * rows + row]) = zero;
    *reinterpret_cast<float4*>(&out[(col + 2) * rows + row]) = zero;
    *reinterpret_cast<float4*>(&out[(col + 3) * rows + row]) = zero;
    for (int k = 0; k < 16; ++k)
      asm volatile("red.global.or.b32 [%0], %1;" ::"l"(&out[(col + k % 4) * rows + row + k / 4]),
                   "r"(reinterpret_cast<int*>(v)[k])
                   : "memory");
  }
  if (!wide)
    for (size_t y = row; y < row + 4 && y < rows; ++y)
      for (size_t x = col; x < col + 4 && x < cols; ++x) out[x * rows + y] = in[y * cols + x];
}
