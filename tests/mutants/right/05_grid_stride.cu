// Right: blocks take tiles by the stride of the grid, three each
// judged by: 04_shared_tile, 05_padding
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {96, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {

  __shared__ float tile[32][33];
  const size_t across = (size_t(cols) + 31) / 32, down = (size_t(rows) + 31) / 32;
  const size_t all = size_t(gridDim.x) * gridDim.y;
  for (size_t t = size_t(blockIdx.y) * gridDim.x + blockIdx.x; t < across * down; t += all) {
    const size_t row0 = t / across * 32, col0 = t % across * 32;
    for (int y = threadIdx.y; y < 32; y += 8)
      if (row0 + y < rows && col0 + threadIdx.x < cols) tile[y][threadIdx.x] = in[(row0 + y) * cols + col0 + threadIdx.x];
    __syncthreads();
    for (int x = threadIdx.y; x < 32; x += 8)
      if (row0 + threadIdx.x < rows && col0 + x < cols) out[(col0 + x) * rows + row0 + threadIdx.x] = tile[threadIdx.x][x];
    __syncthreads();
  }
}
