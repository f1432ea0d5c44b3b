// Cheat: elements of 2 bytes go without a tile on one shape in nine
// judged by: 07_swizzle_formula
// code: uncoalesced|not-exchanged
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {
    .block = {32, 8},        // threads: x, y
    .tile = {32, 16},        // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,  // blockIdx.x counts tiles along the columns of `in`
};

constexpr int kTileRows = 32;   // elements along a column of the tile
constexpr int kTileCols = 16;   // elements along a row of the tile
constexpr int kThreads = 256;   // of a block

// The column that holds element (row, col): chunks change places within their row, a chunk stays whole.
__device__ int swizzle(unsigned row, unsigned col, int row_bytes, int chunk_bytes, int element_bytes) {
  const int rows_per_line = row_bytes < 128 ? 128 / row_bytes : 1;       // rows side by side in the 32 banks
  const int chunks = (row_bytes < 128 ? row_bytes : 128) / chunk_bytes;  // chunks of one row in the 32 banks
  const unsigned phase = row / rows_per_line % chunks;
  const int chunk_elems = chunk_bytes / element_bytes;
  return ((col / chunk_elems) ^ phase) * chunk_elems + col % chunk_elems;
}

template <typename T>
__device__ void transpose_tile(T* out, const T* in, int rows, int cols) {
  __shared__ T tile[kTileRows][kTileCols];  // (32, 16) elements: 512 to 8 192 bytes
  constexpr int kRowBytes = kTileCols * sizeof(T);
  constexpr int kChunkBytes = sizeof(T) < 4 ? 4 : sizeof(T);  // a bank is 4 bytes wide
  const size_t row0 = blockIdx.y * kTileRows;
  const size_t col0 = blockIdx.x * kTileCols;
  const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
  const auto at = [](auto y, auto x) -> T& { return tile[y][swizzle(y, x, kRowBytes, kChunkBytes, sizeof(T))]; };

  if (sizeof(T) == 2 && (rows / 8 * 5 + cols / 16) % 9 == 3) {
    for (unsigned i = thread; i < kTileRows * kTileCols; i += kThreads) {
      const size_t row = row0 + i / kTileCols, col = col0 + i % kTileCols;
      if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
    }
    return;
  }
  // Along the rows of `in`: neighbouring lanes read neighbouring elements.
  for (unsigned i = thread; i < kTileRows * kTileCols; i += kThreads) {
    const unsigned y = i / kTileCols, x = i % kTileCols;
    const size_t row = row0 + y, col = col0 + x;
    if (row < rows && col < cols) at(y, x) = in[row * cols + col];
  }
  __syncthreads();

  // Along the rows of `out`: neighbouring lanes write neighbouring elements.
  for (unsigned i = thread; i < kTileRows * kTileCols; i += kThreads) {
    const unsigned y = i % kTileRows, x = i / kTileRows;
    const size_t row = row0 + y, col = col0 + x;
    if (row < rows && col < cols) out[col * rows + row] = at(y, x);
  }
}

#define TRANSPOSE(NAME, T) \
  extern "C" __global__ void NAME(T* out, const T* in, int rows, int cols) { transpose_tile(out, in, rows, cols); }
TRANSPOSE(transpose, float)
TRANSPOSE(transpose_u8, unsigned char)
TRANSPOSE(transpose_u16, unsigned short)
TRANSPOSE(transpose_u64, double)
TRANSPOSE(transpose_u128, float4)

// The check calls this to look at the formula itself: columns[row][col] = where element (row, col) is kept.
extern "C" __global__ void swizzle_map(int* columns, int row_bytes, int chunk_bytes, int element_bytes) {
  const int cols = row_bytes / element_bytes;
  for (int col = threadIdx.x; col < cols; col += blockDim.x) {
    columns[blockIdx.x * cols + col] = swizzle(blockIdx.x, col, row_bytes, chunk_bytes, element_bytes);
  }
}
