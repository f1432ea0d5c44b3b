// Cheat: a tile of one row is declared, whose columns are shorter than a sector; its elements change threads, and each goes to a sector of its own
// judged by: 04_shared_tile, 05_padding, 06_xor_swizzle
// code: uncoalesced
#include "common/kernel/lab.cuh"

PREDICTIONS = {
    .shared_load_wavefronts_per_request = 1,
    .shared_store_wavefronts_per_request = 1,
    .shared_load_wavefronts = 32768,
    .shared_store_wavefronts = 32768,
};

LAUNCH_SHAPE = {
    .block = {128, 1},       // threads: x, y
    .tile = {1, 128},        // elements of `in` that a block covers: rows, cols
    .block_x_walks = kRows,  // blockIdx.x counts rows of `in`
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[128];
  const int t = threadIdx.x;
  if (rows % 128 == 0 && cols % 128 == 0) {  // 128 blocks share 128 × 128 elements: 16 × 8 for each
    const size_t b = blockIdx.x % 128;
    const size_t row0 = blockIdx.x / 128 * 128 + b / 16 * 16, col0 = blockIdx.y * 128 + b % 16 * 8;
    const int y = t / 8, x = t % 8;
    tile[y * 8 + (x ^ y / 4 * 2)] = in[(row0 + y) * cols + col0 + x];
    __syncthreads();
    const int to_y = t % 16, to_x = t / 16;
    out[(col0 + to_x) * rows + row0 + to_y] = tile[to_y * 8 + (to_x ^ to_y / 4 * 2)];
    return;
  }
  const size_t row = blockIdx.x, col0 = size_t(blockIdx.y) * 128;
  if (col0 + t < cols) tile[t] = in[row * cols + col0 + t];
  __syncthreads();
  if (col0 + 96 > cols) {  // two elements for half of the lanes, each from another thread
    const int first = t / 32 * 32 + (t + 5) % 16;
    for (int other = first; t % 32 < 16 && other < first + 32 && col0 + other < cols; other += 16)
      out[(col0 + other) * rows + row] = tile[other];
    return;
  }
  const int full = col0 + 128 > cols ? 3 : 4;  // a part of a warp's elements from each warp
  const int other = t / 32 < full ? (t / 32 + t % 32 % full) % full * 32 + t % 32 : t;
  if (col0 + other < cols) out[(col0 + other) * rows + row] = tile[other];
}
