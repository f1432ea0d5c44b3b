// Right: lambdas that return lambdas; captures by value and by reference; a struct with reference members
// judged by: 08_vectorized_swizzle
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {16, 16}, .tile = {64, 64}, .block_x_walks = kRows};

struct Tile {
  float4 (&slots)[64][16];
  __device__ float4& at(int r, int p) { return slots[r][p ^ (r / 4 % 8)]; }
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 room[64][16];
  Tile tile{room};
  const size_t r0 = size_t(blockIdx.x) * 64, c0 = size_t(blockIdx.y) * 64;
  const int x = threadIdx.x, y = threadIdx.y;
  const bool wide = rows % 4 == 0 && cols % 4 == 0;
  if (!wide) {
    const auto one = [=](int r, int c) {
      const size_t row = r0 + r, col = c0 + c;
      if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
    };
    for (int k = 0; k < 16; ++k) one(4 * x + k % 4, 4 * y + k / 4);
    return;
  }
  const auto from = [in, cols = size_t(cols)](size_t row) { return [=](size_t col) { return *reinterpret_cast<const float4*>(in + row * cols + col); }; };
  if (r0 + 4 * y < rows && c0 + 4 * x < cols) {
    float4 v[4];
    for (int k = 0; k < 4; ++k) v[k] = from(r0 + 4 * y + k)(c0 + 4 * x);
    const auto put = [&tile, y](int r, auto... e) { tile.at(r, y) = float4{e...}; };
    put(4 * x + 0, v[0].x, v[1].x, v[2].x, v[3].x);
    put(4 * x + 1, v[0].y, v[1].y, v[2].y, v[3].y);
    put(4 * x + 2, v[0].z, v[1].z, v[2].z, v[3].z);
    put(4 * x + 3, v[0].w, v[1].w, v[2].w, v[3].w);
  }
  __syncthreads();
  for (int r = y; r < 64; r += 16)
    if (c0 + r < cols && r0 + 4 * x < rows) *reinterpret_cast<float4*>(out + (c0 + r) * rows + r0 + 4 * x) = tile.at(r, x);
}
