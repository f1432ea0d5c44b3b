// Mutant: step 1 alone: all loads of a thread come before the first store, four bytes each
// judged by: 15_speed_of_light
// fails: few-instructions
// code: many-instructions
// says: instructions per 10 bytes
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.global_store_sectors_per_request = 16, .loaded_bytes_at_once_per_thread = 64};

constexpr int kTile = 32, kBlockRows = 8, kEach = kTile / kBlockRows;

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];
  const size_t row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile;
  const int x = threadIdx.x, y = threadIdx.y;
  float mine[kEach];
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const size_t row = row0 + y + k * kBlockRows, col = col0 + x;
    mine[k] = row < rows && col < cols ? in[row * cols + col] : 0;
  }
#pragma unroll
  for (int k = 0; k < kEach; ++k) tile[y + k * kBlockRows][x] = mine[k];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const size_t row = row0 + x, col = col0 + y + k * kBlockRows;
    if (row < rows && col < cols) out[col * rows + row] = tile[x][y + k * kBlockRows];
  }
}
