// Right: 128 rows and 64 columns, 512 threads, a struct of four rows that turns itself
// judged by: 15_speed_of_light
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {512, 1}, .tile = {128, 64}, .block_x_walks = kRows};

struct Rows {
  float4 a, b, c, d;
  __device__ void load(const float* p, size_t pitch, size_t left) {
    a = b = c = d = float4{0, 0, 0, 0};
    if (left == 0) return;
    a = *reinterpret_cast<const float4*>(p), b = *reinterpret_cast<const float4*>(p + pitch);
    c = *reinterpret_cast<const float4*>(p + 2 * pitch), d = *reinterpret_cast<const float4*>(p + 3 * pitch);
  }
  template <int k>
  __device__ float4 column() const {
    const auto get = [](const float4& v) { return k == 0 ? v.x : k == 1 ? v.y : k == 2 ? v.z : v.w; };
    return {get(a), get(b), get(c), get(d)};
  }
};

extern "C" __global__ void transpose(float* out, const float* in, int rows_, int cols_) {
  __shared__ float4 tile[64][32];
  const size_t rows = rows_, cols = cols_, row0 = blockIdx.x * size_t(128), col0 = blockIdx.y * size_t(64);
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  const bool odd = rows & 4;
  const size_t col = col0 + 4 * x, top = row0 + 4 * y;
  Rows mine, below;
  mine.load(in + top * cols + col, cols, top < rows && col < cols);
  const bool takes_halo = odd && y == 31;
  below.load(in + (row0 + 128) * cols + col, cols, takes_halo && row0 + 128 < rows && col < cols);
  const auto at = [&](int r, int p) -> float4& { return tile[r][p ^ (r / 4 & 7)]; };
  at(4 * x + 0, y) = mine.column<0>(), at(4 * x + 2, y) = mine.column<2>();
  if (!odd || y != 0) at(4 * x + 1, y) = mine.column<1>(), at(4 * x + 3, y) = mine.column<3>();
  if (takes_halo) at(4 * x + 1, 0) = below.column<1>(), at(4 * x + 3, 0) = below.column<3>();
  if (odd && y == 0 && row0 == 0) {
    if (col + 1 < cols) *reinterpret_cast<float4*>(out + (col + 1) * rows) = mine.column<1>();
    if (col + 3 < cols) *reinterpret_cast<float4*>(out + (col + 3) * rows) = mine.column<3>();
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int r = threadIdx.x / 32; r < 64; r += 16) {
    const int pack = odd && r % 2 ? lane + 1 : lane;
    if (col0 + r < cols && row0 + 4 * pack < rows)
      *reinterpret_cast<float4*>(out + (col0 + r) * rows + row0 + 4 * pack) = at(r, pack % 32);
  }
}
