// Right: a dynamic tile of 64 by 16, pairs of rows rotated
// judged by: 06_xor_swizzle
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {16, 16}, .tile = {64, 16}, .block_x_walks = kCols, .dynamic_shared_bytes = 4096};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {

  extern __shared__ float tile[];
  const size_t row0 = size_t(blockIdx.y) * 64, col0 = size_t(blockIdx.x) * 16;
  const int t = threadIdx.y * 16 + threadIdx.x;
  for (int i = t; i < 1024; i += 256) { const int y = i / 16, x = i % 16; if (row0 + y < rows && col0 + x < cols) tile[y * 16 + (x + y / 2) % 16] = in[(row0 + y) * cols + col0 + x]; }
  __syncthreads();
  for (int i = t; i < 1024; i += 256) { const int x = i / 64, y = i % 64; if (row0 + y < rows && col0 + x < cols) out[(col0 + x) * rows + row0 + y] = tile[y * 16 + (x + y / 2) % 16]; }
}
