// Mutant: eight loads of 2 bytes for each pack: chapter 10's way
// judged by: 13_matrix_moves
// fails: by-matrices
// code: not-used
#include "common/kernel/lab.cuh"
#include "common/kernel/matrix_moves.cuh"

LAUNCH_SHAPE = {
    .block = {256, 1},       // threads: x, y
    .tile = {64, 64},        // elements of `in` that a block covers: rows, cols
    .block_x_walks = kRows,  // blockIdx.x counts tiles along the rows of `in`, so neighbouring blocks write neighbours
};

PREDICTIONS = {
    .global_store_sectors_per_request = 20,   // 32 lanes store 16 bytes each, 64 neighbouring bytes in each row
    .shared_load_wavefronts_per_request = 0,  // of one load of four matrices, free of conflicts
};

constexpr int kTile = 64;          // elements along each side of the tile
constexpr int kPacks = kTile / 8;  // 16 bytes, 8 elements

// Where pack `pack` of row `row` is kept.
__device__ int place(int row, int pack) { return pack ^ row / 8 % 8; }

extern "C" __global__ void transpose(unsigned short* out, const unsigned short* in, int rows, int cols) {
  __shared__ uint4 tile[kTile][kPacks];  // (64, 8) packs, rows of `in`: 8 192 bytes
  const size_t row0 = blockIdx.x * kTile, col0 = blockIdx.y * kTile;
  const int thread = threadIdx.x;

  // Along the rows of `in`: neighbouring lanes read neighbouring packs.
  for (int i = thread; i < kTile * kPacks; i += blockDim.x) {
    const int y = i / kPacks, x = i % kPacks;
    const size_t row = row0 + y, col = col0 + 8 * x;
    const bool there = row < rows && col < cols;  // matrix instructions read whole tiles, so the rest is 0
    tile[y][place(y, x)] = there ? *reinterpret_cast<const uint4*>(&in[row * cols + col]) : uint4{};
  }
  __syncthreads();

  // TODO (about 10 lines): below each lane collects a pack of `out` from eight rows of the tile, element by element. Let
  // lab::load_matrices_turned (common/kernel/matrix_moves.cuh) do it: a warp takes 8 columns and 32 rows as four
  // matrices. Which row must each lane name, so that lane t gets eight neighbouring rows of column t / 4? And which
  // place keeps the eight rows of a matrix apart?
  for (int i = thread; i < kTile * kPacks; i += blockDim.x) {
    const int x = i / kPacks, y = i % kPacks * 8;
    const size_t row = row0 + y, col = col0 + x;
    if (row >= rows || col >= cols) continue;
    const auto at = [&](int k) {
      return unsigned(reinterpret_cast<const unsigned short*>(&tile[y + k][place(y + k, x / 8)])[x % 8]);
    };
    *reinterpret_cast<uint4*>(&out[col * rows + row]) =
        make_uint4(at(0) | at(1) << 16, at(2) | at(3) << 16, at(4) | at(5) << 16, at(6) | at(7) << 16);
  }
}
