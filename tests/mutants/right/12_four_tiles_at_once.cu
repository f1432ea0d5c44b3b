// Right: a block of 64 rows and 64 columns asks for four tiles behind one barrier; two warps send them, each after its own wait
// judged by: 12_tma_swizzle
#include "common/kernel/lab.cuh"
#include "common/kernel/tensor.cuh"

LAUNCH_SHAPE = {.block = {256, 1}, .tile = {64, 64}, .block_x_walks = kRows,
                .maps = {{.of = kIn, .box = {32, 32}, .swizzle = kSwizzle128}, {.of = kOut, .box = {32, 32}, .swizzle = kSwizzle128}}};

__device__ inline int inside(int row, int col) { return row << 5 | ((col ^ (row & 7) << 2) & 31); }

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols,
                                     const __grid_constant__ lab::TensorMap in_map,
                                     const __grid_constant__ lab::TensorMap out_map) {
  __shared__ alignas(1024) float a[4][1024];
  __shared__ alignas(1024) float b[4][1024];
  __shared__ lab::Barrier landed;
  const int row0 = blockIdx.x * 64, col0 = blockIdx.y * 64, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const auto exists = [&](int q) { return row0 + q / 2 * 32 < rows && col0 + q % 2 * 32 < cols; };
  if (threadIdx.x == 0) {
    int bytes = 0;
    for (int q = 0; q < 4; ++q) bytes += exists(q) ? 4096 : 0;
    lab::init(&landed, 1);
    lab::arrive_and_expect(&landed, bytes);
    for (int q = 0; q < 4; ++q)
      if (exists(q)) lab::load_tile(a[q], in_map, col0 + q % 2 * 32, row0 + q / 2 * 32, &landed);
  }
  __syncthreads();
  lab::wait(&landed, 0);
  for (int q = 0; q < 4; ++q) {
    if (!exists(q)) continue;
    for (int k = 0; k < 4; ++k) {
      const int c = 4 * warp + lane % 4, r = 4 * (lane / 16 * 5 ^ k) + lane / 4 % 4;
      b[q][inside(c, r)] = a[q][inside(r, c)];
    }
  }
  lab::fence_for_tma();
  __syncthreads();
  if (lane == 0 && warp < 2) {
    for (int q = warp; q < 4; q += 2)
      if (exists(q)) lab::store_tile(out_map, row0 + q / 2 * 32, col0 + q % 2 * 32, b[q]);
    lab::commit_and_wait_for_reads();
  }
}
