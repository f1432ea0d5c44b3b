// Right: pointers that walk in place of indices
// judged by: 04_shared_tile, 05_padding
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32 * 33];
  const size_t row0 = blockIdx.y * size_t(32), col0 = blockIdx.x * size_t(32);
  const float* from = in + (row0 + threadIdx.y) * cols + col0 + threadIdx.x;
  float* to = tile + threadIdx.y * 33 + threadIdx.x;
  const bool in_cols = col0 + threadIdx.x < cols;
  for (int y = threadIdx.y; y < 32; y += 8, from += size_t(8) * cols, to += 8 * 33)
    if (in_cols && row0 + y < rows) *to = *from;
  __syncthreads();
  const float* at = tile + threadIdx.x * 33 + threadIdx.y;
  float* p = out + (col0 + threadIdx.y) * rows + row0 + threadIdx.x;
  const bool in_rows = row0 + threadIdx.x < rows;
  for (int x = threadIdx.y; x < 32; x += 8, at += 8, p += size_t(8) * rows)
    if (in_rows && col0 + x < cols) *p = *at;
}
