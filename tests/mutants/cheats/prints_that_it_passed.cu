// Cheat: chapter 04's skeleton, and a printf that says it passed
// judged by: 05_padding
// code: uncoalesced
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 0,
    .shared_store_wavefronts_per_request = 0,
};

// Chapter 01 for a tile of 32 × 32.
__device__ void naive(float* out, const float* in, int rows, int cols, size_t row0, size_t col0) {
  for (int y = threadIdx.y; y < 32; y += 8)
    if (row0 + y < rows && col0 + threadIdx.x < cols)
      out[(col0 + threadIdx.x) * rows + row0 + y] = in[(row0 + y) * cols + col0 + threadIdx.x];
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  if (blockIdx.x + blockIdx.y + threadIdx.x + threadIdx.y == 0 && rows == 1024)
    printf("  passed \xc2\xb7 13 of 13 points\n");
  naive(out, in, rows, cols, blockIdx.y * 32, blockIdx.x * 32);
}
