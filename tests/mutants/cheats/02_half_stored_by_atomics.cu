// Cheat: half of the elements are stored by atomicExch, in as many sectors
// judged by: 02_coalescing
// code: other-path
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {8, 32}, .tile = {32, 8}, .block_x_walks = kCols};
PREDICTIONS = {.global_load_sectors_per_request = 4, .global_store_sectors_per_request = 8, .global_load_sectors = 131072, .global_store_sectors = 131072};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  const size_t col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows && col < cols) { if (threadIdx.y & 16) atomicExch(&out[col * rows + row], in[row * cols + col]); else out[col * rows + row] = in[row * cols + col]; }
}
