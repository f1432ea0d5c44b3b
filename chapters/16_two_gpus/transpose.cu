// 16 two GPUs: right, and its links carry twelve times what they need, half of the time.
#include "common/kernel/gpus.cuh"

LAUNCH_SHAPE = {
    .block = {32, 8},        // threads: x, y
    .tile = {32, 32},        // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,  // x counts tiles along the columns of `in`, z the GPUs that they go to
    .gpus = 2,               // the rows of both matrices lie on two GPUs
};

// TODO: your answers, for the kernel that you will have.
PREDICTIONS = {
    .link_store_sectors = 0,
    .link_bytes_per_store = 0,
};

constexpr int kTile = 32;      // elements along each side of the tile
constexpr int kBlockRows = 8;  // threads along y

// Runs on every GPU at once. `in` are the rows that this GPU has; rows and cols are those of the
// whole matrix.
extern "C" __global__ void transpose(lab::Gpus gpus, const float* in, int rows, int cols) {
  // TODO 1 (about 6 lines): let a tile in shared memory turn the elements, so that a warp stores whole lines.
  // TODO 2 (about 5 lines): send by turns. Blocks start in the order x, y, z: all tiles for GPU 0 first, then
  // those for GPU 1. So the link to the other GPU rests half of the time.
  const int to = blockIdx.z;

  // This GPU's rows of `in`, and the columns whose rows of `out` lie on GPU `to`.
  const size_t first_row = gpus.first_row(gpus.self), end_row = gpus.first_row(gpus.self + 1);
  const size_t first_col = gpus.first_col(to), end_col = gpus.first_col(to + 1);
  const size_t row0 = first_row + blockIdx.y * kTile;
  const size_t col0 = first_col + blockIdx.x * kTile;

  float* out = gpus.out_of(to);
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {
    const size_t row = row0 + y, col = col0 + threadIdx.x;
    if (row < end_row && col < end_col)
      out[(col - first_col) * rows + row] = in[(row - first_row) * cols + col];
  }
}
