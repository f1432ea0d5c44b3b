// Cheat: 16 of 32 lanes of each warp work, in twice the requests
// judged by: 05_padding
// code: bank-conflict|repeated-access|narrow-access
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 16}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 1,
    .shared_store_wavefronts_per_request = 1,
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][17];
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 16;
  for (int y = threadIdx.y; y < 32; y += 8)
    if (threadIdx.x < 16 && row0 + y < rows && col0 + threadIdx.x < cols)
      tile[y][threadIdx.x] = in[(row0 + y) * cols + col0 + threadIdx.x];
  __syncthreads();
  for (int x = threadIdx.y; x < 16; x += 8)
    for (int h = 0; h < 32; h += 16)
      if (threadIdx.x < 16 && row0 + h + threadIdx.x < rows && col0 + x < cols)
        out[(col0 + x) * rows + row0 + h + threadIdx.x] = tile[h + threadIdx.x][x];
}
