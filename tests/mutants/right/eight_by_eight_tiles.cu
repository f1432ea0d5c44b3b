// Right: tiles of 8 × 8, as small as whole sectors allow
// judged by: 04_shared_tile
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {8, 8}, .tile = {8, 8}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 2, .shared_store_wavefronts_per_request = 2,
               .shared_load_wavefronts = 65536, .shared_store_wavefronts = 65536};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[8][9];
  const size_t row0 = blockIdx.y * 8, col0 = blockIdx.x * 8;
  const int x = threadIdx.x, y = threadIdx.y;
  if (row0 + y < rows && col0 + x < cols) tile[y][x] = in[(row0 + y) * cols + col0 + x];
  __syncthreads();
  if (row0 + x < rows && col0 + y < cols) out[(col0 + y) * rows + row0 + x] = tile[x][y];
}
