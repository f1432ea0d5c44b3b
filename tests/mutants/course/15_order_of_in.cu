// Mutant: steps 1 and 2: 16 bytes per lane, while blocks go in the order of `in`
// judged by: 15_speed_of_light
// fails: order-of-out
// code: scattered-blocks
// says: pages
#include "common/kernel/lab.cuh"
#include "common/kernel/swizzle.cuh"

LAUNCH_SHAPE = {.block = {16, 16}, .tile = {64, 64}, .block_x_walks = kCols};
PREDICTIONS = {.global_store_sectors_per_request = 16, .loaded_bytes_at_once_per_thread = 64};

constexpr int kTile = 64, kPacks = kTile / 4;

__device__ float4 load4(const float* in, size_t row, size_t col, int rows, int cols) {
  if (row >= rows || col >= cols) return make_float4(0, 0, 0, 0);
  return *reinterpret_cast<const float4*>(&in[row * cols + col]);
}
__device__ int place(int row, int pack) { return lab::swizzle(row / 4, pack, kTile * 4, 16, 16); }

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 tile[kTile][kPacks];
  const size_t row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile;
  const int x = threadIdx.x, y = threadIdx.y;
  const float4 a = load4(in, row0 + 4 * y + 0, col0 + 4 * x, rows, cols);
  const float4 b = load4(in, row0 + 4 * y + 1, col0 + 4 * x, rows, cols);
  const float4 c = load4(in, row0 + 4 * y + 2, col0 + 4 * x, rows, cols);
  const float4 d = load4(in, row0 + 4 * y + 3, col0 + 4 * x, rows, cols);
  tile[4 * x + 0][place(4 * x + 0, y)] = make_float4(a.x, b.x, c.x, d.x);
  tile[4 * x + 1][place(4 * x + 1, y)] = make_float4(a.y, b.y, c.y, d.y);
  tile[4 * x + 2][place(4 * x + 2, y)] = make_float4(a.z, b.z, c.z, d.z);
  tile[4 * x + 3][place(4 * x + 3, y)] = make_float4(a.w, b.w, c.w, d.w);
  __syncthreads();
#pragma unroll
  for (int r = y; r < kTile; r += kPacks) {
    const size_t row = col0 + r, col = row0 + 4 * x;
    if (row < cols && col < rows) *reinterpret_cast<float4*>(&out[row * rows + col]) = tile[r][place(r, x)];
  }
}
