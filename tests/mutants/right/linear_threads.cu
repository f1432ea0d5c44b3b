// Right: a line of 256 threads finds its rows and columns itself
// judged by: 04_shared_tile, 05_padding, 06_xor_swizzle
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {256, 1}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 1,
    .shared_store_wavefronts_per_request = 1,
    .shared_load_wavefronts = 32768,
    .shared_store_wavefronts = 32768,
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][32];
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  for (int i = threadIdx.x; i < 1024; i += 256) {
    const int y = i / 32, x = i % 32;
    if (row0 + y < rows && col0 + x < cols) tile[y][x ^ y] = in[(row0 + y) * cols + col0 + x];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += 256) {
    const int x = i / 32, y = i % 32;
    if (row0 + y < rows && col0 + x < cols) out[(col0 + x) * rows + row0 + y] = tile[y][x ^ y];
  }
}
