// Right: every warp raises a flag for its rows; readers wait for all flags
// judged by: 04_shared_tile
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 1,
    .shared_store_wavefronts_per_request = 1,
    .shared_load_wavefronts = 98304,
    .shared_store_wavefronts = 49152,
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  __shared__ volatile int ready[8];
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  if (threadIdx.x == 0) ready[threadIdx.y] = 0;
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8) {
    const size_t row = row0 + y, col = col0 + threadIdx.x;
    if (row < rows && col < cols) tile[y][threadIdx.x] = in[row * cols + col];
  }
  if (threadIdx.x == 0) ready[threadIdx.y] = 1;
  __syncthreads();
  int all = 0;
  for (int w = 0; w < 8; ++w) all += ready[w];
  for (int x = threadIdx.y; x < 32 && all == 8; x += 8) {
    const size_t row = row0 + threadIdx.x, col = col0 + x;
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][x];
  }
}
