// 12 TMA and the hardware swizzle: one thread asks for a whole tile, and sends a whole tile back.
#include "common/kernel/lab.cuh"
#include "common/kernel/tensor.cuh"

LAUNCH_SHAPE = {
    .block = {32, 8},        // threads: x, y
    .tile = {32, 32},        // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,  // blockIdx.x counts tiles along the columns of `in`
    .maps = {{.of = kIn, .box = {32, 32}, .swizzle = kSwizzle128},
             {.of = kOut, .box = {32, 32}, .swizzle = kSwizzle128}},
};

PREDICTIONS = {
    .global_load_sectors_per_request = 0,     // of the one request that loads a tile of 32 × 32 floats
    .shared_load_wavefronts_per_request = 0,  // 32 lanes read one column of a tile in the mode kSwizzle128
};

constexpr int kTile = 32;  // elements along each side of the tile

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols,
                                     const __grid_constant__ lab::TensorMap in_map,
                                     const __grid_constant__ lab::TensorMap out_map) {
  // TODO (about 20 lines): below is chapter 06. Let the TMA unit move the tiles: two of them, one as it comes and one
  // turned, each alignas(1024), and a lab::Barrier (common/kernel/tensor.cuh). One thread asks for the tile of `in`, all
  // wait for it, all turn it, and one thread sends the turned tile to `out`. No thread touches `in` or `out` itself, and
  // no bounds are checked. Where does the hardware keep element (row, col)? And which 32 elements does a warp take?
  __shared__ float tile[kTile][kTile];  // (32, 32) floats: 4 096 bytes
  const size_t row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile;
  const int x = threadIdx.x;

  for (int y = threadIdx.y; y < kTile; y += blockDim.y)
    if (row0 + y < rows && col0 + x < cols) tile[y][x ^ y] = in[(row0 + y) * cols + col0 + x];
  __syncthreads();
  for (int y = threadIdx.y; y < kTile; y += blockDim.y)
    if (col0 + y < cols && row0 + x < rows) out[(col0 + y) * rows + row0 + x] = tile[x][y ^ x];
}
