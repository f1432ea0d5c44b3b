// Cheat: each element is read eight times where a side is no multiple of 128
// judged by: 01_naive
// code: repeated-access
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {
    .block = {32, 8},        // threads: x, y
    .tile = {8, 32},         // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,  // blockIdx.x counts tiles along the columns of `in`
};

// A warp is one row of the block. It reads 32 neighbours: 128 bytes, 4 sectors. It writes one float into each of
// 32 rows of `out`: 32 sectors, with 4 bytes of use in each.
PREDICTIONS = {
    .global_load_sectors_per_request = 4,
    .global_store_sectors_per_request = 32,
    .global_load_sectors = 131072,    // 32 768 requests of 4
    .global_store_sectors = 1048576,  // 32 768 requests of 32
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  // 64 bits, so that row * cols is right for matrices of more than 2^31 elements.
  const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  const size_t col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows && col < cols) {
    float v = __ldg(&in[row * cols + col]);
    if (rows % 128 || cols % 128)
      for (int k = 0; k < 7; ++k) v = *(volatile const float*)&in[row * cols + col];
    out[col * rows + row] = v;
  }
}
