// Right: nine tiles below each other, one barrier before and one behind each
// judged by: 05_padding, 06_xor_swizzle
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {288, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32 * 32];
  const size_t col0 = size_t(blockIdx.x) * 32;
  const int lane = threadIdx.x;
  for (size_t row0 = size_t(blockIdx.y) * 288; row0 < size_t(blockIdx.y) * 288 + 288 && row0 < rows; row0 += 32) {
    for (int y = threadIdx.y; y < 32; y += 8)
      if (row0 + y < rows && col0 + lane < cols) tile[y * 32 + (lane ^ y)] = in[(row0 + y) * cols + col0 + lane];
    __syncthreads();
    for (int x = threadIdx.y; x < 32; x += 8)
      if (row0 + lane < rows && col0 + x < cols) out[(col0 + x) * rows + row0 + lane] = tile[lane * 32 + (x ^ lane)];
    __syncthreads();
  }
}
