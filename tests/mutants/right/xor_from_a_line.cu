// Right: threads in a line, shifts and masks for rows and columns
// judged by: 05_padding, 06_xor_swizzle
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {256, 1}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float t[1024];
  const size_t r0 = blockIdx.y * size_t(32), c0 = blockIdx.x * size_t(32);
  for (int i = threadIdx.x; i < 1024; i += 256) {
    const int y = i >> 5, x = i & 31;
    if (r0 + y < rows && c0 + x < cols) t[(y << 5) | (x ^ y)] = in[(r0 + y) * cols + c0 + x];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += 256) {
    const int x = i >> 5, y = i & 31;
    if (r0 + y < rows && c0 + x < cols) out[(c0 + x) * rows + r0 + y] = t[(y << 5) | (x ^ y)];
  }
}
