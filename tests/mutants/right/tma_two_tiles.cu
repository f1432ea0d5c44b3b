// Right: a block in a line turns two tiles, both on their way at once
// judged by: 12_tma_swizzle
#include "common/kernel/lab.cuh"
#include "common/kernel/tensor.cuh"

LAUNCH_SHAPE = {.block = {128, 1}, .tile = {64, 32}, .block_x_walks = kCols, .maps = {{.of = kIn, .box = {32, 32}, .swizzle = kSwizzle128}, {.of = kOut, .box = {32, 32}, .swizzle = kSwizzle128}}};
PREDICTIONS = {.global_load_sectors_per_request = 128, .shared_load_wavefronts_per_request = 4};

__device__ int place(int r, int c) { return r * 32 + (((c >> 2) ^ (r & 7)) << 2 | (c & 3)); }
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols,
                                     const __grid_constant__ lab::TensorMap in_map, const __grid_constant__ lab::TensorMap out_map) {
  alignas(1024) __shared__ float tile[2][1024];
  alignas(1024) __shared__ float turned[2][1024];
  __shared__ lab::Barrier bar[2];
  const int r0 = blockIdx.y * 64, c0 = blockIdx.x * 32;
  if (threadIdx.x == 0)
    for (int k = 0; k < 2; ++k) {
      lab::init(&bar[k], 1);
      lab::arrive_and_expect(&bar[k], 4096);
      lab::load_tile(tile[k], in_map, c0, r0 + 32 * k, &bar[k]);
    }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  for (int k = 0; k < 2; ++k) {
    lab::wait(&bar[k], 0);
    for (int q = threadIdx.x / 32; q < 8; q += 4)
      for (int j = 0; j < 4; ++j) {
        const int c = 4 * q + lane % 4, r = 4 * ((lane / 16 * 5) ^ j) + lane / 4 % 4;
        turned[k][place(c, r)] = tile[k][place(r, c)];
      }
    lab::fence_for_tma();
    __syncthreads();
    if (threadIdx.x == 0) { lab::store_tile(out_map, r0 + 32 * k, c0, turned[k]); lab::commit_and_wait_for_reads(); }
  }
}
