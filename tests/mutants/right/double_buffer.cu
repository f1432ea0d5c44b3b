// Right: two tiles: the next is read while this one is written, with one barrier
// judged by: 04_shared_tile
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {128, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 1,
    .shared_store_wavefronts_per_request = 1,
    .shared_load_wavefronts = 32768,
    .shared_store_wavefronts = 32768,
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[2][32][33];
  const size_t top = blockIdx.y * 128, col0 = blockIdx.x * 32;
  const auto read = [&](int n) {
    for (int y = threadIdx.y; y < 32; y += 8) {
      const size_t row = top + 32 * n + y, col = col0 + threadIdx.x;
      if (row < rows && col < cols) tile[n % 2][y][threadIdx.x] = in[row * cols + col];
    }
  };
  read(0);
  for (int n = 0; n < 4; ++n) {
    __syncthreads();
    if (n < 3) read(n + 1);
    for (int x = threadIdx.y; x < 32; x += 8) {
      const size_t row = top + 32 * n + threadIdx.x, col = col0 + x;
      if (row < rows && col < cols) out[col * rows + row] = tile[n % 2][threadIdx.x][x];
    }
  }
}
