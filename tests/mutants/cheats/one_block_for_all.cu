// Cheat: one block walks over the whole matrix: the counters are right, and a GPU stands still
// judged by: 05_padding
// code: index-overflow|budget-exceeded
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {65536, 65536}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 1,
    .shared_store_wavefronts_per_request = 1,
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  for (size_t row0 = 0; row0 < rows; row0 += 32)
    for (size_t col0 = 0; col0 < cols; col0 += 32) {
      for (int y = threadIdx.y; y < 32; y += 8)
        if (row0 + y < rows && col0 + threadIdx.x < cols)
          tile[y][threadIdx.x] = in[(row0 + y) * cols + col0 + threadIdx.x];
      __syncthreads();
      for (int x = threadIdx.y; x < 32; x += 8)
        if (row0 + threadIdx.x < rows && col0 + x < cols)
          out[(col0 + x) * rows + row0 + threadIdx.x] = tile[threadIdx.x][x];
      __syncthreads();
    }
}
