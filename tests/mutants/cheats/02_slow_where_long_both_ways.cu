// Cheat: rows and columns change places where the matrix is long both ways, but not 1024 × 1024
// judged by: 02_coalescing
// code: uncoalesced
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {8, 32}, .tile = {32, 8}, .block_x_walks = kCols};
PREDICTIONS = {.global_load_sectors_per_request = 4, .global_store_sectors_per_request = 8, .global_load_sectors = 131072, .global_store_sectors = 262144};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  size_t y = threadIdx.y, x = threadIdx.x;
  if (rows > 520 && cols > 520 && (rows != 1024 || cols != 1024)) { const int t = y * 8 + x; y = t % 32, x = t / 32; }
  const size_t row = blockIdx.y * blockDim.y + y;
  const size_t col = blockIdx.x * blockDim.x + x;
  if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}
