// Right: piles of loads by functors, hints of caches
// judged by: 15_speed_of_light
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {64, 64}, .block_x_walks = kRows};
PREDICTIONS = {.global_store_sectors_per_request = 16, .loaded_bytes_at_once_per_thread = 64};
template <class T, int N>
struct Pile {
  T item[N];
  template <class F>
  __device__ static Pile make(F f) {
    Pile p;
#pragma unroll
    for (int i = 0; i < N; ++i) p.item[i] = f(i);
    return p;
  }
};
extern "C" __global__ void transpose(float* __restrict__ out, const float* __restrict__ in, int rows,
                                     int cols) {
  __shared__ float4 tile[64][16];
  const int half = threadIdx.x >> 4, x = threadIdx.x & 15, y = threadIdx.y * 2 + half;
  const size_t top = 64ull * blockIdx.x, left = 64ull * blockIdx.y + 4 * x;
  const bool shifted = rows % 8 == 4;
  auto place = [](int r, int p) -> int { return (p % 16) ^ (r / 4 % 8); };
  auto load = [&](size_t r) {
    if (r >= rows || left >= cols) return float4{0, 0, 0, 0};
    return __ldcs(reinterpret_cast<const float4*>(in + r * cols + left));
  };
  const auto own = Pile<float4, 4>::make([&](int k) { return load(top + 4 * y + k); });
  Pile<float4, 4> below{};
  if (shifted && y == 0) below = Pile<float4, 4>::make([&](int k) { return load(top + 64 + k); });
  auto column = [](const Pile<float4, 4>& p, int k) {
    const float* f = reinterpret_cast<const float*>(p.item);
    return float4{f[k], f[k + 4], f[k + 8], f[k + 12]};
  };
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int r = 4 * x + k;
    const bool late = shifted && (k & 1);
    if (late && y == 0) {
      tile[r][place(r, 0)] = column(below, k);
      if (top == 0 && left + k < cols) *reinterpret_cast<float4*>(out + (left + k) * rows) = column(own, k);
    } else {
      tile[r][place(r, y)] = column(own, k);
    }
  }
  __syncthreads();
#pragma unroll
  for (int r = y; r < 64; r += 16) {
    const int p = x + (shifted && r % 2);
    if (64ull * blockIdx.y + r < cols && top + 4 * p < rows)
      __stcs(reinterpret_cast<float4*>(out + (64ull * blockIdx.y + r) * rows + top + 4 * p),
             tile[r][place(r, p)]);
  }
}
