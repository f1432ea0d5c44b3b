// Cheat: plain stores where the copy has not landed at the first question
// judged by: 12_tma_swizzle
// code: other-path
// points: 0
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
    .global_load_sectors_per_request = 128,
    .shared_load_wavefronts_per_request = 4,
};

constexpr int kTile = 32;                               // elements along each side of the tile
constexpr int kTileBytes = kTile * kTile * sizeof(float);

// Where the TMA unit keeps element (row, col): chunks of 4 floats change places, chapter 07's formula.
__device__ unsigned place(unsigned row, unsigned col) { return row * kTile + (col / 4 ^ row % 8) * 4 + col % 4; }

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols,
                                     const __grid_constant__ lab::TensorMap in_map,
                                     const __grid_constant__ lab::TensorMap out_map) {
  alignas(1024) __shared__ float tile[kTile * kTile];    // rows of `in`
  alignas(1024) __shared__ float turned[kTile * kTile];  // rows of `out`
  __shared__ lab::Barrier barrier;
  const int row0 = blockIdx.y * kTile;
  const int col0 = blockIdx.x * kTile;
  const bool first = threadIdx.x == 0 && threadIdx.y == 0;

  if (first) {
    lab::init(&barrier, 1);
    lab::arrive_and_expect(&barrier, kTileBytes);
    lab::load_tile(tile, in_map, col0, row0, &barrier);
  }
  __syncthreads();
  unsigned landed;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(landed) : "r"((unsigned)__cvta_generic_to_shared(&barrier)) : "memory");
  lab::wait(&barrier, 0);
  if (!__syncthreads_and(landed)) {
    for (int i = threadIdx.x + 32 * threadIdx.y; i < 1024; i += 256) {
      const size_t row = row0 + i % 32, col = col0 + i / 32;
      if (row < rows && col < cols) out[col * rows + row] = tile[place(i % 32, i / 32)];
    }
    return;
  }

  // A warp takes 8 rows of one chunk: 4 neighbours, and 4 that lie 5 groups of four away. So its 32 elements are in 32
  // banks, before the turn and after it.
  const unsigned lane = threadIdx.x, col = 4 * threadIdx.y + lane % 4;
  for (int k = 0; k < 4; ++k) {
    const unsigned row = 4 * (lane / 16 * 5 ^ k) + lane / 4 % 4;
    turned[place(col, row)] = tile[place(row, col)];
  }
  lab::fence_for_tma();
  __syncthreads();
  if (first) {
    lab::store_tile(out_map, row0, col0, turned);
    lab::commit_and_wait_for_reads();
  }
}
