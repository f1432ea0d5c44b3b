// Cheat: the plain tile, its column read by atomicOr with 0
// judged by: 05_padding, 06_xor_swizzle
// code: other-path
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 1,
    .shared_store_wavefronts_per_request = 1,
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ unsigned tile[31 * 32 + 32];
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  for (int y = threadIdx.y; y < 32; y += 8) {
    const size_t row = row0 + y, col = col0 + threadIdx.x;
    if (row < rows && col < cols) tile[y * 32 + threadIdx.x] = __float_as_uint(in[row * cols + col]);
  }
  __syncthreads();
  for (int x = threadIdx.y; x < 32; x += 8) {
    const size_t row = row0 + threadIdx.x, col = col0 + x;
    if (row < rows && col < cols)
      out[col * rows + row] =
          __uint_as_float(x == 0 && threadIdx.x == 0 ? tile[0] : atomicOr(&tile[threadIdx.x * 32 + x], 0u));
  }
}
