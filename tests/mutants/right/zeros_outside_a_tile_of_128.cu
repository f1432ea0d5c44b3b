// Right: a tile of 128 by 128 in dynamic room of 66 KB, zeros outside
// judged by: 04_shared_tile
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 32}, .tile = {128, 128}, .block_x_walks = kCols, .dynamic_shared_bytes = 128 * 129 * 4};

PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  extern __shared__ float tile[];
  const size_t row0 = size_t(blockIdx.y) * 128, col0 = size_t(blockIdx.x) * 128;
  for (int y = threadIdx.y; y < 128; y += 32)
    for (int x = threadIdx.x; x < 128; x += 32)
      tile[y * 129 + x] = row0 + y < rows && col0 + x < cols ? in[(row0 + y) * cols + col0 + x] : 0.f;
  __syncthreads();
  for (int x = threadIdx.y; x < 128; x += 32)
    for (int y = threadIdx.x; y < 128; y += 32)
      if (row0 + y < rows && col0 + x < cols) out[(col0 + x) * rows + row0 + y] = tile[y * 129 + x];
}
