// Right: 16 × 16 elements, one a thread: whole sectors, and two rows in a warp
// judged by: 04_shared_tile
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {16, 16}, .tile = {16, 16}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 2,
    .shared_store_wavefronts_per_request = 2,
    .shared_load_wavefronts = 65536,
    .shared_store_wavefronts = 65536,
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[16][17];
  const size_t row0 = blockIdx.y * 16, col0 = blockIdx.x * 16;
  for (int y = threadIdx.y; y < 16; y += 16) {
    const size_t row = row0 + y, col = col0 + threadIdx.x;
    if (row < rows && col < cols) tile[y][threadIdx.x] = in[row * cols + col];
  }
  __syncthreads();
  for (int x = threadIdx.y; x < 16; x += 16) {
    const size_t row = row0 + threadIdx.x, col = col0 + x;
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][x];
  }
}
