// Right: blocks of 4 × 4 are turned in registers between the two swizzled tiles, 16 bytes an access
// judged by: 12_tma_swizzle
#include "common/kernel/lab.cuh"
#include "common/kernel/tensor.cuh"

LAUNCH_SHAPE = {
    .block = {8, 8},         // threads: x, y
    .tile = {32, 32},        // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,  // blockIdx.x counts tiles along the columns of `in`
    .maps = {{.of = kIn, .box = {32, 32}, .swizzle = kSwizzle128},
             {.of = kOut, .box = {32, 32}, .swizzle = kSwizzle128}},
};

PREDICTIONS = {
    .global_load_sectors_per_request = 128,
    .shared_load_wavefronts_per_request = 4,
};

constexpr int kTile = 32, kPacks = kTile / 4;

// Where the TMA unit keeps float4 `pack` of a row.
__device__ unsigned place(unsigned row, unsigned pack) { return row * kPacks + (pack ^ row % 8); }

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols,
                                     const __grid_constant__ lab::TensorMap in_map,
                                     const __grid_constant__ lab::TensorMap out_map) {
  alignas(1024) __shared__ float4 tile[kTile * kPacks];    // rows of `in`
  alignas(1024) __shared__ float4 turned[kTile * kPacks];  // rows of `out`
  __shared__ lab::Barrier barrier;
  const int row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile;
  const bool first = threadIdx.x == 0 && threadIdx.y == 0;
  if (first) {
    lab::init(&barrier, 1);
    lab::arrive_and_expect(&barrier, sizeof tile);
    lab::load_tile(tile, in_map, col0, row0, &barrier);
  }
  __syncthreads();
  lab::wait(&barrier, 0);

  // Eight neighbours take blocks on a diagonal: eight chunks before the turn, and eight after it.
  const unsigned x = threadIdx.x, y = threadIdx.x ^ threadIdx.y;
  const float4 a = tile[place(4 * y + 0, x)], b = tile[place(4 * y + 1, x)];
  const float4 c = tile[place(4 * y + 2, x)], d = tile[place(4 * y + 3, x)];
  turned[place(4 * x + 0, y)] = make_float4(a.x, b.x, c.x, d.x);
  turned[place(4 * x + 1, y)] = make_float4(a.y, b.y, c.y, d.y);
  turned[place(4 * x + 2, y)] = make_float4(a.z, b.z, c.z, d.z);
  turned[place(4 * x + 3, y)] = make_float4(a.w, b.w, c.w, d.w);
  lab::fence_for_tma();
  __syncthreads();
  if (first) {
    lab::store_tile(out_map, row0, col0, turned);
    lab::commit_and_wait_for_reads();
  }
}
