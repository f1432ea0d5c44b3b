// Right: lanes outside of the matrix load its last element again, and store nothing
// judged by: 05_padding
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t row0 = size_t(blockIdx.y) * 32, col0 = size_t(blockIdx.x) * 32, lane = threadIdx.x;
  for (int y = threadIdx.y; y < 32; y += 8) tile[y][lane] = in[min(row0 + y, size_t(rows - 1)) * cols + min(col0 + lane, size_t(cols - 1))];
  __syncthreads();
  for (int x = threadIdx.y; x < 32; x += 8)
    if (row0 + lane < rows && col0 + x < cols) out[(col0 + x) * rows + row0 + lane] = tile[lane][x];
}
