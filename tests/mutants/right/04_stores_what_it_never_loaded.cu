// Right: outside of the matrix a tile gets registers that nothing has set, and nobody loads them
// judged by: 04_shared_tile
// 04 shared tile: stage a tile in shared memory, so that reads and writes both follow rows.
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {
    .block = {32, 8},        // threads: x, y
    .tile = {32, 32},        // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,  // blockIdx.x counts tiles along the columns of `in`
};

// Row y of the tile lies in banks 0 to 31: a store takes 1 wavefront. A column lies in one bank: a load takes 32.
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 32,
    .shared_store_wavefronts_per_request = 1,
    .shared_load_wavefronts = 1048576,  // 32 768 requests of 32
    .shared_store_wavefronts = 32768,   // 32 768 requests of 1
};

constexpr int kTile = 32;      // elements along each side of the tile
constexpr int kBlockRows = 8;  // threads along y

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile];  // (32, 32) floats: 4 096 bytes
  const size_t row0 = blockIdx.y * kTile;
  const size_t col0 = blockIdx.x * kTile;

  // Along the rows of `in`: neighbouring lanes read neighbouring elements.
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {
    const size_t row = row0 + y;
    const size_t col = col0 + threadIdx.x;
    float v;
    if (row < rows && col < cols) v = in[row * cols + col];
    tile[y][threadIdx.x] = v;
  }
  __syncthreads();

  // Along the rows of `out`: neighbouring lanes write neighbouring elements.
  for (int x = threadIdx.y; x < kTile; x += kBlockRows) {
    const size_t row = row0 + threadIdx.x;
    const size_t col = col0 + x;
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][x];
  }
}
