// Right: one generic lambda walks the tile, another takes the elements of four rows as a pack
// judged by: 05_padding
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kRows};

template <int... kAt>
struct Offsets {
  template <typename F>
  static __device__ void each(F&& f) {
    (f(kAt), ...);
  }
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32 * 33];
  using Steps = Offsets<0, 8, 16, 24>;
  const size_t r0 = size_t(blockIdx.x) * 32, c0 = size_t(blockIdx.y) * 32;
  auto at = [](auto r, auto c) { return r * 33 + c; };
  const auto guarded = [](size_t r, size_t c, size_t height, size_t width, auto&& act) {
    if (r < height && c < width) act(r * width + c);
  };
  Steps::each([&](int k) {
    const int y = threadIdx.y + k;
    guarded(r0 + y, c0 + threadIdx.x, rows, cols, [&](size_t i) { tile[at(y, threadIdx.x)] = in[i]; });
  });
  __syncthreads();
  Steps::each([&](int k) {
    const int x = threadIdx.y + k;
    guarded(c0 + x, r0 + threadIdx.x, cols, rows, [&](size_t i) { out[i] = tile[at(threadIdx.x, x)]; });
  });
}
