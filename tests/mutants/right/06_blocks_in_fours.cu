// Right: blocks in fours, two by two, as far as the grid has such (Morton order of the lowest bits)
// judged by: 06_xor_swizzle
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {
    .block = {32, 8},        // threads: x, y
    .tile = {32, 32},        // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,  // blockIdx.x counts tiles along the columns of `in`
};

// Element (y, x) lies in bank x ^ y: for one y 32 different banks, for one x 32 different banks.
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 1,
    .shared_store_wavefronts_per_request = 1,
    .shared_load_wavefronts = 32768,   // 32 768 requests of 1
    .shared_store_wavefronts = 32768,  // 32 768 requests of 1
};

constexpr int kTile = 32;      // elements along each side of the tile
constexpr int kBlockRows = 8;  // threads along y

// Which block of the grid this one works for: inside of a strip of two rows, the next two are below and not
// to the right.
__device__ uint2 at_block() {
  const unsigned x = blockIdx.x, y = blockIdx.y, whole = gridDim.x / 2 * 2;
  if (y / 2 * 2 + 1 >= gridDim.y || x >= whole) return make_uint2(x, y);
  const unsigned n = y % 2 * whole + x;  // of this strip
  return make_uint2(n / 4 * 2 + n % 2, y / 2 * 2 + n / 2 % 2);
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile];  // (32, 32) floats: 4 096 bytes
  const size_t row0 = at_block().y * kTile;
  const size_t col0 = at_block().x * kTile;

  // Along the rows of `in`: neighbouring lanes read neighbouring elements.
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {
    const size_t row = row0 + y;
    const size_t col = col0 + threadIdx.x;
    if (row < rows && col < cols) tile[y][threadIdx.x ^ y] = in[row * cols + col];
  }
  __syncthreads();

  // Along the rows of `out`: neighbouring lanes write neighbouring elements.
  for (int x = threadIdx.y; x < kTile; x += kBlockRows) {
    const size_t row = row0 + threadIdx.x;
    const size_t col = col0 + x;
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][x ^ threadIdx.x];
  }
}
