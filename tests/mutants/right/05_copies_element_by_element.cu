// Right: asynchronous copies of an element each fill the padded tile
// judged by: 04_shared_tile, 05_padding
#include "common/kernel/lab.cuh"
#include <cuda_pipeline.h>
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {

  __shared__ float tile[32][33];
  const size_t row0 = size_t(blockIdx.y) * 32, col0 = size_t(blockIdx.x) * 32;
  for (int y = threadIdx.y; y < 32; y += 8)
    if (row0 + y < rows && col0 + threadIdx.x < cols) __pipeline_memcpy_async(&tile[y][threadIdx.x], &in[(row0 + y) * cols + col0 + threadIdx.x], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  for (int x = threadIdx.y; x < 32; x += 8)
    if (row0 + threadIdx.x < rows && col0 + x < cols) out[(col0 + x) * rows + row0 + threadIdx.x] = tile[threadIdx.x][x];
}
