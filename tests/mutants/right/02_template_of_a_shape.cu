// Right: 16 wide and 2 high would be too flat: 8 by 4 from a template, two elements for each thread
// judged by: 02_coalescing
#include "common/kernel/lab.cuh"

template <int W, int H> struct Warp {
  static constexpr int w = W, h = H;
  static_assert(W * H == 32);
  static __device__ int x() { return threadIdx.x % W; }
  static __device__ int y() { return threadIdx.x / W; }
};
using S = Warp<8, 4>;
LAUNCH_SHAPE = {.block = {32, 4}, .tile = {32, 8}, .block_x_walks = kRows};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  size_t row = size_t(blockIdx.x) * 32 + threadIdx.y * S::h + S::y();
  const size_t col = size_t(blockIdx.y) * 8 + S::x();
  for (int k = 0; k < 2; ++k, row += 16)
    if (row < size_t(rows) && col < size_t(cols)) out[col * size_t(rows) + row] = in[row * size_t(cols) + col];
}
