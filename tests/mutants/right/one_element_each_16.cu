// Right: 16 × 16 threads, one element each
// judged by: 04_shared_tile
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {16, 16}, .tile = {16, 16}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 2, .shared_store_wavefronts_per_request = 2, .shared_load_wavefronts = 65536, .shared_store_wavefronts = 65536};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float block[16][17];
  unsigned xIndex = blockIdx.x * 16 + threadIdx.x, yIndex = blockIdx.y * 16 + threadIdx.y;
  if (xIndex < cols && yIndex < rows) block[threadIdx.y][threadIdx.x] = in[size_t(yIndex) * cols + xIndex];
  __syncthreads();
  xIndex = blockIdx.y * 16 + threadIdx.x; yIndex = blockIdx.x * 16 + threadIdx.y;
  if (xIndex < rows && yIndex < cols) out[size_t(yIndex) * rows + xIndex] = block[threadIdx.x][threadIdx.y];
}
