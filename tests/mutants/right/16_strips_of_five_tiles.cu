// Right: strips of 5 tiles by turns, the rest tile by tile
// judged by: 16_two_gpus
#include "common/kernel/gpus.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kRows, .gpus = 2};
PREDICTIONS = {.link_store_sectors = 32768, .link_bytes_per_store = 144};

constexpr unsigned kStrip = 5;

extern "C" __global__ void transpose(lab::Gpus gpus, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned all = gridDim.x * gridDim.y, in_strips = all / kStrip * kStrip, rest = in_strips * gpus.count;
  unsigned to, job;
  if (block < rest) {
    const unsigned strip = block / kStrip;
    to = (gpus.self + strip) % gpus.count;
    job = strip / gpus.count * kStrip + block % kStrip;
  } else {
    to = (gpus.self + block - rest) % gpus.count;
    job = in_strips + (block - rest) / gpus.count;
  }
  const size_t first_row = gpus.first_row(gpus.self), end_row = gpus.first_row(gpus.self + 1);
  const size_t first_col = gpus.first_col(to), end_col = gpus.first_col(to + 1);
  const size_t row0 = first_row + job % gridDim.x * 32, col0 = first_col + job / gridDim.x * 32;
  for (unsigned y = threadIdx.y; y < 32; y += 8) {
    const size_t row = row0 + y, col = col0 + threadIdx.x;
    if (row < end_row && col < end_col) tile[y][threadIdx.x] = in[(row - first_row) * cols + col];
  }
  __syncthreads();
  float* out = gpus.out_of(to);
  for (unsigned x = threadIdx.y; x < 32; x += 8) {
    const size_t row = row0 + threadIdx.x, col = col0 + x;
    if (row < end_row && col < end_col) out[(col - first_col) * rows + row] = tile[threadIdx.x][x];
  }
}
