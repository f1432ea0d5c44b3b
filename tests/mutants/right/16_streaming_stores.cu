// Right: four elements a thread go through registers behind the tile, and are stored with a hint
// judged by: 16_two_gpus
#include "common/kernel/gpus.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kRows, .gpus = 2};
PREDICTIONS = {.link_store_sectors = 32768, .link_bytes_per_store = 144};

extern "C" __global__ void transpose(lab::Gpus gpus, const float* in, int rows, int cols) {
  alignas(128) __shared__ float tile[32][33];
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int to = (gpus.self + block) % gpus.count;
  const unsigned turn = block / gpus.count;
  const size_t first_row = gpus.first_row(gpus.self), end_row = gpus.first_row(gpus.self + 1);
  const size_t first_col = gpus.first_col(to), end_col = gpus.first_col(to + 1);
  const size_t row0 = first_row + turn % gridDim.x * 32, col0 = first_col + turn / gridDim.x * 32;
  for (int y = threadIdx.y; y < 32; y += 8)
    if (row0 + y < end_row && col0 + threadIdx.x < end_col)
      tile[y][threadIdx.x] = in[(row0 + y - first_row) * cols + col0 + threadIdx.x];
  __syncthreads();
  float* out = gpus.out_of(to);
  float v[4];
  for (int k = 0; k < 4; ++k) v[k] = tile[threadIdx.x][threadIdx.y + 8 * k];
  for (int k = 0; k < 4; ++k) {
    const size_t row = row0 + threadIdx.x, col = col0 + threadIdx.y + 8 * k;
    if (row < end_row && col < end_col) __stcs(&out[(col - first_col) * rows + row], v[k]);
  }
}
