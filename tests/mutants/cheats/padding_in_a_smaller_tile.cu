// Cheat: chapter 05's padding in a tile of 16 rows: fewer bytes than 32 × 32 need
// judged by: 06_xor_swizzle
// code: unused-shared
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {16, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 1,
    .shared_store_wavefronts_per_request = 1,
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[16][33];
  const size_t row0 = blockIdx.y * 16, col0 = blockIdx.x * 32;
  for (int y = threadIdx.y; y < 16; y += 8)
    if (row0 + y < rows && col0 + threadIdx.x < cols) tile[y][threadIdx.x] = in[(row0 + y) * cols + col0 + threadIdx.x];
  __syncthreads();
  const int y = threadIdx.x % 16;
  for (int k = threadIdx.y; k < 16; k += 8) {
    const int x = k + threadIdx.x / 16 * 16;  // two columns that are 16 banks apart
    if (row0 + y < rows && col0 + x < cols) out[(col0 + x) * rows + row0 + y] = tile[y][x];
  }
}
