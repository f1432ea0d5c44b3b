// Cheat: chapter 05's padding in half of the tile at a time, where a side is no multiple of 128
// judged by: 06_xor_swizzle
// code: unused-shared
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[1024];
  const size_t row0 = size_t(blockIdx.y) * 32, col0 = size_t(blockIdx.x) * 32;
  const bool off = ((rows | cols) & 127) != 0;
  const int pitch = off ? 33 : 32, mask = off ? 0 : 31;
  for (int top = 0; top < 32; top += off ? 16 : 32) {
  const int n = off ? 16 : 32;
  if (top) __syncthreads();
  for (int y = threadIdx.y; y < n; y += 8)
    if (row0 + top + y < rows && col0 + threadIdx.x < cols) tile[y * pitch + (threadIdx.x ^ (y & mask))] = in[(row0 + top + y) * cols + col0 + threadIdx.x];
  __syncthreads();
  if (off) {
    const int y = threadIdx.x % 16;
    for (int k = threadIdx.y; k < 16; k += 8) {
      const int x = k + threadIdx.x / 16 * 16;
      if (row0 + top + y < rows && col0 + x < cols) out[(col0 + x) * rows + row0 + top + y] = tile[y * 33 + x];
    }
  } else
  for (int x = threadIdx.y; x < 32; x += 8)
    if (row0 + threadIdx.x < rows && col0 + x < cols) out[(col0 + x) * rows + row0 + threadIdx.x] = tile[threadIdx.x * 32 + (x ^ threadIdx.x)];
  }
}
