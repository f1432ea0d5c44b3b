// Right: one tile for both ways, each warp keeps its part in registers over a barrier; another warp loads than stores
// judged by: 12_tma_swizzle
#include "common/kernel/lab.cuh"
#include "common/kernel/tensor.cuh"

LAUNCH_SHAPE = {
    .block = {128, 1},
    .tile = {32, 32},
    .block_x_walks = kRows,
    .maps = {{.of = kOut, .box = {32, 32}, .swizzle = kSwizzle128}, {.of = kIn, .box = {32, 32}, .swizzle = kSwizzle128}},
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols,
                                     const __grid_constant__ lab::TensorMap to,
                                     const __grid_constant__ lab::TensorMap from) {
  alignas(1024) __shared__ float tile[32][32];
  __shared__ lab::Barrier there;
  const int row0 = blockIdx.x * 32, col0 = blockIdx.y * 32, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 96) {
    lab::init(&there, 1);
    lab::arrive_and_expect(&there, sizeof tile);
    lab::load_tile(tile, from, col0, row0, &there);
  }
  __syncthreads();
  lab::wait(&there, 0);
  const auto place = [](int r, int c) -> float& { return tile[r][(c / 4 ^ r % 8) * 4 + c % 4]; };
  float kept[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const int col = 8 * warp + k / 4 * 4 + lane % 4, row = 4 * (lane / 16 * 5 ^ k % 4) + lane / 4 % 4;
    kept[k] = place(row, col);
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const int col = 8 * warp + k / 4 * 4 + lane % 4, row = 4 * (lane / 16 * 5 ^ k % 4) + lane / 4 % 4;
    place(col, row) = kept[k];
  }
  lab::fence_for_tma();
  __syncthreads();
  if (threadIdx.x == 32) {
    lab::store_tile(to, row0, col0, tile);
    lab::commit_and_wait_for_reads();
  }
}
