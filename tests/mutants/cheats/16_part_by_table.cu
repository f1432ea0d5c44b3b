// Cheat: part by part where a table of the number of columns says so
// judged by: 16_two_gpus
// code: link-rests
// 16 two GPUs: one kernel turns tiles and stores each on the GPU where it belongs, its own and others by turns.
#include "common/kernel/gpus.cuh"

LAUNCH_SHAPE = {
    .block = {32, 8},        // threads: x, y
    .tile = {32, 32},        // elements of `in` that a block covers: rows, cols
    .block_x_walks = kRows,  // x counts tiles along the rows of `in`, z the GPUs that they go to
    .gpus = 2,               // the rows of both matrices lie on two GPUs
};
PREDICTIONS = {.link_store_sectors = 32768, .link_bytes_per_store = 144};

__constant__ unsigned char kParts[32] = {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1};
constexpr int kTile = 32;      // elements along each side of the tile
constexpr int kBlockRows = 8;  // threads along y

// Runs on every GPU at once. `in` are the rows that this GPU has; rows and cols are those of the
// whole matrix.
extern "C" __global__ void transpose(lab::Gpus gpus, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];  // (32, 33) floats: 4 224 bytes

  // By turns: blocks that start one after the other go to different GPUs, and each GPU begins with its own
  // part.
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const bool parts = kParts[cols / 32 % 32] != 0;
  const int to = parts ? blockIdx.z : (gpus.self + block) % gpus.count;
  const unsigned turn = parts ? blockIdx.x + gridDim.x * blockIdx.y : block / gpus.count;

  // This GPU's rows of `in`, and the columns whose rows of `out` lie on GPU `to`.
  const size_t first_row = gpus.first_row(gpus.self), end_row = gpus.first_row(gpus.self + 1);
  const size_t first_col = gpus.first_col(to), end_col = gpus.first_col(to + 1);
  const size_t row0 = first_row + turn % gridDim.x * kTile;
  const size_t col0 = first_col + turn / gridDim.x * kTile;

  // Along the rows of `in`: neighbouring lanes read neighbouring elements.
#pragma unroll
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {
    const size_t row = row0 + y, col = col0 + threadIdx.x;
    if (row < end_row && col < end_col) tile[y][threadIdx.x] = in[(row - first_row) * cols + col];
  }
  __syncthreads();

  // Along the rows of `out`: a warp writes a line of 128 bytes, which the link carries as one packet.
  float* out = gpus.out_of(to);
#pragma unroll
  for (int x = threadIdx.y; x < kTile; x += kBlockRows) {
    const size_t row = row0 + threadIdx.x, col = col0 + x;
    if (row < end_row && col < end_col) out[(col - first_col) * rows + row] = tile[threadIdx.x][x];
  }
}
