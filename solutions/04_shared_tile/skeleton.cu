// 04 shared tile: stage a tile in shared memory, so that reads and writes both follow rows.
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {
    .block = {32, 8},        // threads: x, y
    .tile = {32, 32},        // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,  // blockIdx.x counts tiles along the columns of `in`
};

// TODO (4 numbers): element (y, x) of a tile of 32 × 32 floats lies in bank (32 * y + x) % 32. How many wavefronts does
// a warp need that stores a row of the tile, and one that loads a column? Then for all of 1024 × 1024 floats.
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 0,
    .shared_store_wavefronts_per_request = 0,
    .shared_load_wavefronts = 0,
    .shared_store_wavefronts = 0,
};

constexpr int kTile = 32;      // elements along each side of the tile
constexpr int kBlockRows = 8;  // threads along y

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  // TODO (about 10 lines): declare  __shared__ float tile[kTile][kTile];  and go in two steps. First every thread
  // reads its elements along the rows of `in`, as below, and stores them in the tile. Then, after a barrier, every
  // thread loads from the tile what it must write along the rows of `out`: threadIdx.x walks the rows of `in` now.
  // The barrier stands outside every `if`: all threads of the block must reach it.
  const size_t row0 = blockIdx.y * kTile;
  const size_t col0 = blockIdx.x * kTile;

  // Along the rows of `in`: neighbouring lanes read neighbouring elements.
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {
    const size_t row = row0 + y;
    const size_t col = col0 + threadIdx.x;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
  }
}
