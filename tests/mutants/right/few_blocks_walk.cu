// Right: a block walks over 256 × 256 elements, tile by tile
// judged by: 04_shared_tile, 05_padding
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {256, 256}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 1,
    .shared_store_wavefronts_per_request = 1,
    .shared_load_wavefronts = 32768,
    .shared_store_wavefronts = 32768,
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t top = blockIdx.y * 256, left = blockIdx.x * 256;
  for (size_t row0 = top; row0 < top + 256 && row0 < rows; row0 += 32)
    for (size_t col0 = left; col0 < left + 256 && col0 < cols; col0 += 32) {
      for (int y = threadIdx.y; y < 32; y += 8) {
        const size_t row = row0 + y, col = col0 + threadIdx.x;
        if (row < rows && col < cols) tile[y][threadIdx.x] = in[row * cols + col];
      }
      __syncthreads();
      for (int x = threadIdx.y; x < 32; x += 8) {
        const size_t row = row0 + threadIdx.x, col = col0 + x;
        if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][x];
      }
      __syncthreads();
    }
}
