// Right: two halves of a block with a tile and a named barrier each
// judged by: 04_shared_tile
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 4}, .tile = {32, 64}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {

  __shared__ float tile[2][32][33];
  const size_t row0 = size_t(blockIdx.y) * 32, left = size_t(blockIdx.x) * 64;
  const int half = threadIdx.y / 2, w = threadIdx.y % 2;
  const size_t col0 = left + 32 * half;
  for (int y = w; y < 32; y += 2) if (row0 + y < rows && col0 + threadIdx.x < cols) tile[half][y][threadIdx.x] = in[(row0 + y) * cols + col0 + threadIdx.x];
  if (half == 0) asm volatile("bar.sync 1, 64;" ::: "memory"); else asm volatile("bar.sync 2, 64;" ::: "memory");
  for (int x = w; x < 32; x += 2) if (row0 + threadIdx.x < rows && col0 + x < cols) out[(col0 + x) * rows + row0 + threadIdx.x] = tile[half][threadIdx.x][x];
}
