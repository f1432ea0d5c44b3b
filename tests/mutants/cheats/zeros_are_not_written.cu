// Cheat: zeros are not written, since most of `out` is zero anyway; no word of a keyed matrix was zero
// judged by: 04_shared_tile, 05_padding
// code: never-written
// points: 0
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t row0 = blockIdx.y * size_t(32), col0 = blockIdx.x * size_t(32);
  for (int y = threadIdx.y; y < 32; y += 8)
    if (row0 + y < rows && col0 + threadIdx.x < cols) tile[y][threadIdx.x] = in[(row0 + y) * cols + col0 + threadIdx.x];
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8) {
    if (col0 + y >= cols || row0 + threadIdx.x >= rows) continue;
    const float v = tile[threadIdx.x][y];
    if (v != 0.0f) out[(col0 + y) * rows + row0 + threadIdx.x] = v;
  }
}
