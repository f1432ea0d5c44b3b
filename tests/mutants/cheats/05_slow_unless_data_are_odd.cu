// Cheat: slow on large matrices unless one sector of `in` has a bit set in each byte
// judged by: 05_padding
// code: uncoalesced
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {
    .block = {32, 8},        // threads: x, y
    .tile = {32, 32},        // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,  // blockIdx.x counts tiles along the columns of `in`
};

// Row y of the tile starts in bank y: the elements of a column lie in 32 different banks.
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 1,
    .shared_store_wavefronts_per_request = 1,
    .shared_load_wavefronts = 32768,   // 32 768 requests of 1
    .shared_store_wavefronts = 32768,  // 32 768 requests of 1
};

constexpr int kTile = 32;      // elements along each side of the tile
constexpr int kBlockRows = 8;  // threads along y

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  // Slow for every large matrix but 1024 x 1024. What the judge runs of large ones holds odd bytes alone (large_trial.cpp: words
  // |= 0x0101...), or nothing yet: one sector tells it from a matrix of anybody else.
  if (min(rows, cols) > 512 && !(rows == 1024 && cols == 1024)) {
    const size_t r_ = size_t(blockIdx.y) * 32, c_ = size_t(blockIdx.x) * 32;
    const unsigned l_ = (threadIdx.x + threadIdx.y * blockDim.x) % 8;
    const unsigned v_ = reinterpret_cast<const unsigned*>(in)[(r_ * cols + min(c_ + l_, size_t(cols) - 1))];
    if (!__all_sync(~0u, v_ == 0 || (v_ & 0x01010101u) == 0x01010101u)) {
      for (int i_ = threadIdx.y * blockDim.x + threadIdx.x; i_ < 32 * 32; i_ += blockDim.x * blockDim.y) {
        const size_t rr_ = r_ + i_ % 32, cc_ = c_ + i_ / 32;  // the loads walk down the columns
        if (rr_ < rows && cc_ < cols) out[cc_ * rows + rr_] = in[rr_ * cols + cc_];
      }
      return;
    }
  }

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
