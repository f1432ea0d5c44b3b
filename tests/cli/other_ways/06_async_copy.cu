// Asynchronous copies into the tile.
#include <cuda_pipeline.h>
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 2, .shared_store_wavefronts_per_request = 4};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float t[32][32];
  int l = threadIdx.x;
  size_t r0 = blockIdx.y * 32ull, c0 = blockIdx.x * 32ull;
  for (int y = threadIdx.y; y < 32; y += 8)
    if (r0 + y < (size_t)rows && c0 + l < (size_t)cols)
      __pipeline_memcpy_async(&t[y][l ^ y], &in[(r0 + y) * cols + c0 + l], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8)
    if (c0 + y < (size_t)cols && r0 + l < (size_t)rows) out[(c0 + y) * rows + r0 + l] = t[l][y ^ l];
}
