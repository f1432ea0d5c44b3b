// Mutant: indices are computed in 32 bits
// judged by: 02_coalescing
// fails: beyond-32-bits
// code: index-overflow
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {
    .block = {8, 32},        // threads: x, y
    .tile = {32, 8},         // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,  // blockIdx.x counts tiles along the columns of `in`
};

// A warp is four rows of the block. It reads 8 neighbours in each of 4 rows of `in`: 4 whole sectors. It writes 4
// neighbours into each of 8 rows of `out`: 8 sectors, half used.
PREDICTIONS = {
    .global_load_sectors_per_request = 4,
    .global_store_sectors_per_request = 8,
    .global_load_sectors = 131072,   // 32 768 requests of 4
    .global_store_sectors = 262144,  // 32 768 requests of 8
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  // 64 bits, so that row * cols is right for matrices of more than 2^31 elements.
  const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows && col < cols) {
    out[col * rows + row] = __ldg(&in[row * cols + col]);
  }
}
