// Cheat: seven of eight warps do nothing where a side is no multiple of 128
// judged by: 02_coalescing
// code: idle-threads
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {8, 32}, .tile = {32, 8}, .block_x_walks = kCols};
PREDICTIONS = {.global_load_sectors_per_request = 4, .global_store_sectors_per_request = 8, .global_load_sectors = 131072, .global_store_sectors = 262144};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t row = size_t(blockIdx.y) * 32 + threadIdx.y, col = size_t(blockIdx.x) * 8 + threadIdx.x;
  if ((rows | cols) & 127) {
    if (threadIdx.y < 4) for (int k = threadIdx.y; k < 32; k += 4) { const size_t r = size_t(blockIdx.y) * 32 + k; if (r < rows && col < cols) out[col * rows + r] = in[r * cols + col]; }
    return;
  }
  if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}
