// Cheat: right up to a million elements; beyond, half of the tiles are left out
// judged by: 04_shared_tile
// code: wrong-element|never-written
// points: 0
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 32,
    .shared_store_wavefronts_per_request = 1,
    .shared_load_wavefronts = 524288,
    .shared_store_wavefronts = 16384,
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][32];
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  if (size_t(rows) * cols > 1 << 19 && size_t(rows) * cols < 1u << 30 && blockIdx.y % 2) return;
  for (int y = threadIdx.y; y < 32; y += 8) {
    const size_t row = row0 + y, col = col0 + threadIdx.x;
    if (row < rows && col < cols) tile[y][threadIdx.x] = in[row * cols + col];
  }
  __syncthreads();
  for (int x = threadIdx.y; x < 32; x += 8) {
    const size_t row = row0 + threadIdx.x, col = col0 + x;
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][x];
  }
}
