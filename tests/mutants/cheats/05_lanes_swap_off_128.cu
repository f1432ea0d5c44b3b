// Cheat: shuffles turn squares of 8 × 8, and lanes swap all they have with their neighbour, off multiples of 128
// judged by: 05_padding
// code: not-exchanged
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t row0 = size_t(blockIdx.y) * 32, col0 = size_t(blockIdx.x) * 32;
  const int x = threadIdx.x;
  const int warp = threadIdx.y, r4 = x / 8, c8 = x % 8;
  if ((rows | cols) & 127 && row0 + 32 <= rows && col0 + 32 <= cols) {
    // Squares of 8 × 8 turned by shuffles; each lane loads what its neighbour stores, and hands it over.
    float* const mine = &tile[warp][0];
    const int n = x ^ 1, nr4 = n / 8, nc8 = n % 8;
    for (int k = warp; k < 16; k += 8) {
      const size_t r0 = row0 + k / 4 * 8, c0 = col0 + k % 4 * 8;
      const float a = in[(r0 + r4) * cols + c0 + c8], b = in[(r0 + 4 + r4) * cols + c0 + c8];
      for (int h = 0; h < 2; ++h) {
        const int c = 4 * h + nr4, r = nc8, from = r % 4 * 8 + c;
        const float of_a = __shfl_sync(~0u, a, from), of_b = __shfl_sync(~0u, b, from);
        mine[n] = r < 4 ? of_a : of_b;
        __syncwarp();
        out[(c0 + 4 * h + r4) * rows + r0 + c8] = mine[x];
        __syncwarp();
      }
    }
    return;
  }
  for (int y = threadIdx.y; y < 32; y += 8)
    if (row0 + y < rows && col0 + x < cols) tile[y][x] = in[(row0 + y) * cols + col0 + x];
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8)
    if (row0 + x < rows && col0 + y < cols) out[(col0 + y) * rows + row0 + x] = tile[x][y];
}
