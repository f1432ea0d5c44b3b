// Right: a class holds four rows, its stores are one fold over columns; the edge is a method of its own
// judged by: 03_float4
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {8, 16}, .tile = {64, 32}, .block_x_walks = kCols};

class Square {
  float4 rows_[4];

 public:
  __device__ Square(const float* from, size_t pitch) {
    for (int k = 0; k < 4; ++k) rows_[k] = *reinterpret_cast<const float4*>(from + k * pitch);
  }
  template <int kCol>
  __device__ float4 column() const {
    constexpr auto pick = [](const float4& v) { return kCol == 0 ? v.x : kCol == 1 ? v.y : kCol == 2 ? v.z : v.w; };
    return make_float4(pick(rows_[0]), pick(rows_[1]), pick(rows_[2]), pick(rows_[3]));
  }
  template <int... kCols>
  __device__ void store(float* to, size_t pitch) const {
    ((*reinterpret_cast<float4*>(to + kCols * pitch) = column<kCols>()), ...);
  }
};

__device__ void edge(float* out, const float* in, size_t r0, size_t c0, size_t rows, size_t cols) {
  for (size_t r = r0; r < min(r0 + 4, rows); ++r)
    for (size_t c = c0; c < min(c0 + 4, cols); ++c) __stcs(out + c * rows + r, in[r * cols + c]);
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t r = 4 * (size_t(blockIdx.y) * 16 + threadIdx.y), c = 4 * (size_t(blockIdx.x) * 8 + threadIdx.x);
  if (rows % 4 != 0 || cols % 4 != 0) return edge(out, in, r, c, rows, cols);
  if (r >= rows || c >= cols) return;
  Square(in + r * cols + c, cols).store<0, 1, 2, 3>(out + c * rows + r, rows);
}
