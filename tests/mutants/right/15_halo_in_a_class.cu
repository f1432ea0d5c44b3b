// Right: rows and halo are a class; everything that is loaded stands in its constructor
// judged by: 15_speed_of_light
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {16, 16}, .tile = {64, 64}, .block_x_walks = kRows};

struct Four {
  float4 a = {}, b = {}, c = {}, d = {};
  Four() = default;
  template <typename Load>
  __device__ Four(Load load, int r) : a(load(r)), b(load(r + 1)), c(load(r + 2)), d(load(r + 3)) {}
  __device__ float4 x() const { return {a.x, b.x, c.x, d.x}; }
  __device__ float4 y() const { return {a.y, b.y, c.y, d.y}; }
  __device__ float4 z() const { return {a.z, b.z, c.z, d.z}; }
  __device__ float4 w() const { return {a.w, b.w, c.w, d.w}; }
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 tile[64][16];
  const size_t r0 = size_t(blockIdx.x) * 64, c0 = size_t(blockIdx.y) * 64;
  const int x = threadIdx.x, y = threadIdx.y, odd = rows / 4 % 2;
  const bool halo = odd && y == 0;
  const auto load = [=](int r) {
    const size_t row = r0 + r, col = c0 + 4 * x;
    return row < rows && col < cols ? *reinterpret_cast<const float4*>(in + row * cols + col) : float4{};
  };
  const auto store = [=](int r, long pack, float4 v) {
    const size_t row = c0 + r, col = r0 + 4 * pack;
    if (row < cols && col < rows) *reinterpret_cast<float4*>(out + row * rows + col) = v;
  };
  const auto slot = [&](int r, int p) -> float4& { return tile[r][p % 16 ^ (r / 4 % 8)]; };
  const Four own(load, 4 * y);
  Four more;
  if (halo) more = Four(load, 64);
  slot(4 * x + 0, y) = own.x(), slot(4 * x + 1, y) = own.y(), slot(4 * x + 2, y) = own.z(), slot(4 * x + 3, y) = own.w();
  if (halo) {
    slot(4 * x + 1, 16) = more.y(), slot(4 * x + 3, 16) = more.w();
    if (r0 == 0) store(4 * x + 1, 0, own.y()), store(4 * x + 3, 0, own.w());
  }
  __syncthreads();
#pragma unroll
  for (int r = y; r < 64; r += 16) {
    const int pack = x + (r & odd);
    store(r, pack, slot(r, pack));
  }
}
