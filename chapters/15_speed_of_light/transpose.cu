// 15 speed of light: ideal sectors, no conflicts, and two thirds of the speed of a copy.
#include "common/kernel/lab.cuh"
#include "common/kernel/swizzle.cuh"

LAUNCH_SHAPE = {
    .block = {32, 8},        // threads: x, y
    .tile = {32, 32},        // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,  // blockIdx.x counts tiles along the columns of `in`
};

// TODO: your answers, for the kernel that you will have.
PREDICTIONS = {
    .global_store_sectors_per_request = 0,  // on 1020 × 1020 floats
    .loaded_bytes_at_once_per_thread = 0,
};

constexpr int kTile = 32;      // elements along each side of the tile
constexpr int kBlockRows = 8;  // threads along y

// Every row of both matrices starts on 16 bytes: rows and cols are multiples of 4.
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  // This is chapter 05. What keeps it from the speed of a copy? Four steps, each a goal of its own:
  // TODO 1 (about 5 lines): a thread asks for four elements, one after the other. Let it ask for all before it uses any.
  // TODO 2 (about 20 lines): fewer instructions for each byte: 16 bytes per lane, as in chapter 08.
  // TODO 3 (3 lines): let blocks that start together write neighbours.
  // TODO 4 (about 10 lines): first load the halo, the four rows below the tile, and keep it. Then, where a row of `out`
  // starts inside of a sector, let the block's share of it begin with the next one. No sector is written by two blocks.
  __shared__ float tile[kTile][kTile + 1];  // (32, 33) floats: 4 224 bytes
  const size_t row0 = blockIdx.y * kTile;
  const size_t col0 = blockIdx.x * kTile;

  // Along the rows of `in`: neighbouring lanes read neighbouring elements.
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {
    const size_t row = row0 + y;
    const size_t col = col0 + threadIdx.x;
    if (row < rows && col < cols) tile[y][threadIdx.x] = in[row * cols + col];
  }
  __syncthreads();

  // Along the rows of `out`: neighbouring lanes write neighbouring elements.
  for (int x = threadIdx.y; x < kTile; x += kBlockRows) {
    const size_t row = row0 + threadIdx.x;
    const size_t col = col0 + x;
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][x];
  }
}
