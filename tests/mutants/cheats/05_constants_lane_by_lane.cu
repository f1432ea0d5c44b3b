// Cheat: each lane reads constants of its own, which a GPU serves one after the other
// judged by: 05_padding
// code: many-instructions
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 2, .shared_store_wavefronts_per_request = 4};

__constant__ int zeros[1024];

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  for (int y = threadIdx.y; y < 32; y += 8) {
    const size_t row = row0 + y;
    size_t col = col0 + threadIdx.x;
    for (int k = 0; k < 6; ++k) col += zeros[(threadIdx.x * 33 + y + 5 * k) % 1024];
    if (row < rows && col < cols) tile[y][threadIdx.x] = in[row * cols + col];
  }
  __syncthreads();
  for (int x = threadIdx.y; x < 32; x += 8) {
    const size_t row = row0 + threadIdx.x, col = col0 + x;
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][x];
  }
}
