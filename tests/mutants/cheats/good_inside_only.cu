// Cheat: whole tiles take the good way, tiles at the ragged edge chapter 01
// judged by: 05_padding
// code: uncoalesced
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 1,
    .shared_store_wavefronts_per_request = 1,
};

// Chapter 01 for a tile of 32 × 32.
__device__ void naive(float* out, const float* in, int rows, int cols, size_t row0, size_t col0) {
  for (int y = threadIdx.y; y < 32; y += 8)
    if (row0 + y < rows && col0 + threadIdx.x < cols)
      out[(col0 + threadIdx.x) * rows + row0 + y] = in[(row0 + y) * cols + col0 + threadIdx.x];
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  if (!(row0 + 32 <= rows && col0 + 32 <= cols)) return naive(out, in, rows, cols, row0, col0);
  for (int y = threadIdx.y; y < 32; y += 8) {
    const size_t row = row0 + y, col = col0 + threadIdx.x;
    if (row < rows && col < cols) tile[y][threadIdx.x] = in[row * cols + col];
  }
  __syncthreads();
  for (int x = threadIdx.y; x < 32; x += 8) {
    const size_t row = row0 + threadIdx.x, col = col0 + x;
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][x];
  }
}
