// Right: all loads are on their way before the first store to the tile
// judged by: 04_shared_tile, 05_padding
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 1,
    .shared_store_wavefronts_per_request = 1,
    .shared_load_wavefronts = 32768,
    .shared_store_wavefronts = 32768,
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  float v[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const size_t row = row0 + threadIdx.y + 8 * k, col = col0 + threadIdx.x;
    v[k] = row < rows && col < cols ? in[row * cols + col] : 0;
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) tile[threadIdx.y + 8 * k][threadIdx.x] = v[k];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 4; ++k) v[k] = tile[threadIdx.x][threadIdx.y + 8 * k];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const size_t row = row0 + threadIdx.x, col = col0 + threadIdx.y + 8 * k;
    if (row < rows && col < cols) out[col * rows + row] = v[k];
  }
}
