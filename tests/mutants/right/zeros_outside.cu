// Right: what lies outside of the matrix is stored to the tile as zeros
// judged by: 06_xor_swizzle, 05_padding
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 32}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32 * 32];
  const size_t row = size_t(blockIdx.y) * 32 + threadIdx.y, col = size_t(blockIdx.x) * 32 + threadIdx.x;
  tile[threadIdx.y * 32 + (threadIdx.x ^ threadIdx.y)] = row < rows && col < cols ? in[row * cols + col] : 0.f;
  __syncthreads();
  const size_t to_row = size_t(blockIdx.x) * 32 + threadIdx.y, to_col = size_t(blockIdx.y) * 32 + threadIdx.x;
  if (to_row < cols && to_col < rows) out[to_row * rows + to_col] = tile[threadIdx.x * 32 + (threadIdx.y ^ threadIdx.x)];
}
