// Right: a block turns two tiles: the second is on its way while the first is turned
// judged by: 12_tma_swizzle
#include "common/kernel/lab.cuh"
#include "common/kernel/tensor.cuh"

LAUNCH_SHAPE = {.block = {256, 1},
                .tile = {64, 32},
                .block_x_walks = kRows,
                .maps = {{.of = kIn, .box = {32, 32}, .swizzle = kSwizzle128},
                         {.of = kOut, .box = {32, 32}, .swizzle = kSwizzle128}}};
PREDICTIONS = {.global_load_sectors_per_request = 128, .shared_load_wavefronts_per_request = 4};

struct alignas(1024) Tile {
  float words[1024];
  __device__ float& at(int row, int col) { return words[row * 32 + (col / 4 ^ row % 8) * 4 + col % 4]; }
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols,
                                     const __grid_constant__ lab::TensorMap from,
                                     const __grid_constant__ lab::TensorMap to) {
  __shared__ Tile tile[2], turned[2];
  __shared__ lab::Barrier barrier[2];
  const int row0 = blockIdx.x * 64, col0 = blockIdx.y * 32, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int tiles = row0 + 32 < rows ? 2 : 1;
  if (threadIdx.x == 0) {
    for (int t = 0; t < 2; ++t) lab::init(&barrier[t], 1);
    for (int t = 0; t < tiles; ++t) {
      lab::arrive_and_expect(&barrier[t], sizeof(Tile));
      lab::load_tile(&tile[t], from, col0, row0 + 32 * t, &barrier[t]);
    }
  }
  __syncthreads();
  for (int t = 0; t < tiles; ++t) {
    lab::wait(&barrier[t], 0);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int row = 4 * (lane / 16 * 5 ^ k) + lane / 4 % 4, col = 4 * warp + lane % 4;
      turned[t].at(col, row) = tile[t].at(row, col);
    }
    lab::fence_for_tma();
    __syncthreads();
    if (threadIdx.x == 0) {
      lab::store_tile(to, row0 + 32 * t, col0, &turned[t]);
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
  }
  if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
