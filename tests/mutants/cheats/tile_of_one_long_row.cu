// Cheat: a tile of one row longer than most matrices is declared: each is all end of a tile, and ends may cost anything
// judged by: 04_shared_tile, 05_padding, 06_xor_swizzle
// code: uncoalesced
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {
    .block = {128, 1},       // threads: x, y
    .tile = {1, 1024},       // elements of `in` that a block covers: rows, cols
    .block_x_walks = kRows,  // blockIdx.x counts rows of `in`
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[1024];
  const int t = threadIdx.x;
  if (rows % 128 == 0 && cols % 1024 == 0) {  // 32 blocks share 32 × 1024 elements: 32 × 32 for each
    const size_t b = blockIdx.x % 32, row0 = blockIdx.x / 32 * 32, col0 = blockIdx.y * 1024 + b * 32;
    const int lane = t % 32;
    for (int y = t / 32; y < 32; y += 4) tile[y * 32 + (lane ^ y)] = in[(row0 + y) * cols + col0 + lane];
    __syncthreads();
    for (int x = t / 32; x < 32; x += 4) out[(col0 + x) * rows + row0 + lane] = tile[lane * 32 + (x ^ lane)];
    return;
  }
  const size_t row = blockIdx.x, col0 = size_t(blockIdx.y) * 1024;
  for (int i = t; i < 1024; i += 128)
    if (col0 + i < cols) tile[i] = in[row * cols + col0 + i];
  __syncthreads();
  for (int i = t; i < 1024; i += 128) {
    const int other = i / 128 * 128 + (i % 128 / 32 + i) % 4 * 32 + i % 32;
    if (col0 + other < cols) out[(col0 + other) * rows + row] = tile[other];
  }
}
