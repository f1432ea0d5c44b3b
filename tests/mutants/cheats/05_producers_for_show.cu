// Cheat: four warps fill the tile and four read `in` themselves
// judged by: 04_shared_tile, 05_padding
// code: uncoalesced|not-exchanged|narrow-access|repeated-access
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float t[32][33];
  const size_t r0 = blockIdx.y * size_t(32), c0 = blockIdx.x * size_t(32);
  const int x = threadIdx.x, half = threadIdx.y / 4;
  for (int y = threadIdx.y % 4; y < 32 && half == 0; y += 4)
    if (r0 + y < rows && c0 + x < cols) t[y][x] = in[(r0 + y) * cols + c0 + x];
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8) {
    if (c0 + y >= cols || r0 + x >= rows) continue;
    const float mine = half == 0 ? t[x][y] : in[(r0 + x) * cols + c0 + y];
    out[(c0 + y) * rows + r0 + x] = mine;
  }
}
