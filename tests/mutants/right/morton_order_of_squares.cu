// Right: squares of 8 by 8 in the order of Morton, both ways
// judged by: 04_shared_tile
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {256, 1}, .tile = {32, 32}, .block_x_walks = kCols};

PREDICTIONS = {.shared_load_wavefronts_per_request = 4, .shared_store_wavefronts_per_request = 4, .shared_load_wavefronts = 131072, .shared_store_wavefronts = 131072};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t row0 = size_t(blockIdx.y) * 32, col0 = size_t(blockIdx.x) * 32;
  for (int k = threadIdx.x; k < 1024; k += 256) {
    const int s = k / 64, sy = (s >> 1 & 1) | (s >> 2 & 2), sx = (s & 1) | (s >> 1 & 2);
    const int y = sy * 8 + k % 64 / 8, x = sx * 8 + k % 8;
    if (row0 + y < rows && col0 + x < cols) tile[y][x] = in[(row0 + y) * cols + col0 + x];
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 1024; k += 256) {
    const int s = k / 64, sx = (s >> 1 & 1) | (s >> 2 & 2), sy = (s & 1) | (s >> 1 & 2);
    const int x = sx * 8 + k % 64 / 8, y = sy * 8 + k % 8;
    if (row0 + y < rows && col0 + x < cols) out[(col0 + x) * rows + row0 + y] = tile[y][x];
  }
}
