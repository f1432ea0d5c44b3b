// Mutant: indices are computed in 32 bits
// judged by: 06_xor_swizzle
// fails: beyond-32-bits
// code: index-overflow
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {
    .block = {32, 8},        // threads: x, y
    .tile = {32, 32},        // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,  // blockIdx.x counts tiles along the columns of `in`
};

// For 32 rows y / 2 makes 16 permutations, 4 * y % 32 makes 8; y itself makes 32.
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 2,
    .shared_store_wavefronts_per_request = 4,
    .shared_load_wavefronts = 32768,   // 32 768 requests of 1
    .shared_store_wavefronts = 32768,  // 32 768 requests of 1
};

constexpr int kTile = 32;      // elements along each side of the tile
constexpr int kBlockRows = 8;  // threads along y

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile];  // (32, 32) floats: 4 096 bytes
  const unsigned row0 = blockIdx.y * kTile;
  const unsigned col0 = blockIdx.x * kTile;

  // Along the rows of `in`: neighbouring lanes read neighbouring elements.
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {
    const unsigned row = row0 + y;
    const unsigned col = col0 + threadIdx.x;
    if (row < rows && col < cols) tile[y][threadIdx.x ^ y] = in[row * cols + col];
  }
  __syncthreads();

  // Along the rows of `out`: neighbouring lanes write neighbouring elements.
  for (int x = threadIdx.y; x < kTile; x += kBlockRows) {
    const unsigned row = row0 + threadIdx.x;
    const unsigned col = col0 + x;
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][x ^ threadIdx.x];
  }
}
