// Cheat: a tile of one row is declared, whose columns are shorter than a sector: walking along columns is what they cost
// judged by: 02_coalescing
// code: uncoalesced
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {
    .block = {128, 1},       // threads: x, y
    .tile = {1, 128},        // elements of `in` that a block covers: rows, cols
    .block_x_walks = kRows,  // blockIdx.x counts rows of `in`
};

PREDICTIONS = {
    .global_load_sectors_per_request = 4,
    .global_store_sectors_per_request = 8,
    .global_load_sectors = 131072,
    .global_store_sectors = 262144,
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const int t = threadIdx.x;
  if (rows % 128 == 0 && cols % 128 == 0) {  // 128 blocks share 128 × 128 elements: 16 × 8 for each
    const size_t b = blockIdx.x % 128;
    const size_t row = blockIdx.x / 128 * 128 + b / 16 * 16 + t / 32 * 4 + t % 32 / 8;
    const size_t col = blockIdx.y * 128 + b % 16 * 8 + t % 8;
    out[col * rows + row] = in[row * cols + col];
    return;
  }
  const size_t row = blockIdx.x, col = size_t(blockIdx.y) * 128 + t;
  if (col < cols) out[col * rows + row] = in[row * cols + col];
}
