// Right: the padded tile is an alias template, both ways by one member template with a bool
// judged by: 05_padding
#include "common/kernel/lab.cuh"
template <class T, int kRowsOf, int kColsOf> using Padded = T[kRowsOf][kColsOf + 1];
LAUNCH_SHAPE = {.block = {32, 4}, .tile = {32, 32}, .block_x_walks = kRows};
struct Job {
  float* out; const float* in; size_t rows, cols, r0, c0;
  template <bool kIn, class Tile>
  __device__ void pass(Tile& tile) const {
    const auto [height, width] = [&] { struct Size { size_t height, width; }; return kIn ? Size{rows, cols} : Size{cols, rows}; }();
    const size_t y0 = kIn ? r0 : c0, x = (kIn ? c0 : r0) + threadIdx.x;
    for (int k = threadIdx.y; k < 32; k += 4) {
      if (y0 + k >= height || x >= width) continue;
      if constexpr (const size_t i = 0; kIn) tile[k][threadIdx.x] = in[i + (y0 + k) * width + x];
      else out[(y0 + k) * width + x] = tile[threadIdx.x][k];
    }
  }
};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ Padded<float, 32, 32> tile;
  const Job job{out, in, size_t(rows), size_t(cols), size_t(blockIdx.x) * 32, size_t(blockIdx.y) * 32};
  job.pass<true>(tile);
  __syncthreads();
  job.pass<false>(tile);
}
