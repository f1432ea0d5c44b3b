// Right: components by pointers to members of an array view; generic lambda over a pack of rows
// judged by: 03_float4
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {8, 8}, .tile = {32, 32}, .block_x_walks = kCols};
union Four {
  float4 v;
  float e[4];
};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t r = 4 * (size_t(blockIdx.y) * 8 + threadIdx.y), c = 4 * (size_t(blockIdx.x) * 8 + threadIdx.x);
  if (r >= rows || c >= cols) return;
  if (rows % 4 || cols % 4) {
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        if (r + i < rows && c + j < cols) __stcg(&out[(c + j) * rows + r + i], in[(r + i) * cols + c + j]);
    return;
  }
  Four from[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) from[i].v = *reinterpret_cast<const float4*>(&in[(r + i) * cols + c]);
  const auto column = [](int j, const auto&... line) { return float4{line.e[j]...}; };
#pragma unroll
  for (int j = 0; j < 4; ++j) *reinterpret_cast<float4*>(&out[(c + j) * rows + r]) = column(j, from[0], from[1], from[2], from[3]);
}
