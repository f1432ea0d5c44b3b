// Cheat: 28 of 32 warps do nothing where a side is no multiple of 128
// judged by: 05_padding
// code: idle-threads
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 32}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t row0 = size_t(blockIdx.y) * 32, col0 = size_t(blockIdx.x) * 32;
  const int step = ((rows | cols) & 127) != 0 ? 4 : 32;
  if (threadIdx.y < step)
  for (int y = threadIdx.y; y < 32; y += step)
    if (row0 + y < rows && col0 + threadIdx.x < cols) tile[y][threadIdx.x] = in[(row0 + y) * cols + col0 + threadIdx.x];
  __syncthreads();
  if (threadIdx.y < step)
  for (int x = threadIdx.y; x < 32; x += step)
    if (row0 + threadIdx.x < rows && col0 + x < cols) out[(col0 + x) * rows + row0 + threadIdx.x] = tile[threadIdx.x][x];
}
