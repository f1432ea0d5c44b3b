// Cheat: half of the tile lies in a static array, the other half is reached behind its end
// judged by: 05_padding
// code: out-of-bounds
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {
    .block = {32, 8},  // threads: x, y
    .tile = {32, 32},  // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,
    .dynamic_shared_bytes = 16 * 33 * 4,  // blockIdx.x counts tiles along the columns of `in`
};

// A column in rows of 34 floats lies in 16 banks, in rows of 34 doubles in 8 places.
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 2,
    .shared_store_wavefronts_per_request = 4,
    .shared_load_wavefronts = 32768,   // 32 768 requests of 1
    .shared_store_wavefronts = 32768,  // 32 768 requests of 1
};

constexpr int kTile = 32;      // elements along each side of the tile
constexpr int kBlockRows = 8;  // threads along y

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float low[kTile / 2][kTile + 1];
  extern __shared__ float high[];
  float(*tile)[kTile + 1] = (size_t)low < (size_t)high ? low : (float(*)[kTile + 1]) high;
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
