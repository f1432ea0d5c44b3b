// Right: a tile of 64 × 16, 192 threads, groups, dynamic shared memory, 256 × 16 elements by each block
// judged by: 06_xor_swizzle
#include <cooperative_groups.h>
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {192, 1}, .tile = {256, 16}, .block_x_walks = kCols, .dynamic_shared_bytes = 4096};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1,
               .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768,
               .shared_store_wavefronts = 32768};
constexpr int TR = 64, TC = 16, THREADS = 192;

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  extern __shared__ float tile[];  // 1024 floats
  const int thread = threadIdx.y * 192 + threadIdx.x;
  const size_t top = size_t(blockIdx.y) * 256, left = size_t(blockIdx.x) * 16;
  const size_t row0 = top, col0 = left;  (void)row0; (void)col0;

  for (int down = 0; down < 4; ++down)
    for (int right = 0; right < 1; ++right) {
      const size_t row0 = top + down * TR, col0 = left + right * TC;
      __syncthreads();
      for (int i = thread; i < TR * TC; i += THREADS) {
        const int y = i / TC, x = i % TC;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) tile[y * 16 + (x ^ (((y / 2) ^ ((y / 2) >> 1)) % 16))] = __ldcs(&in[row * cols + col]);
      }
      cooperative_groups::this_thread_block().sync();
      for (int i = thread; i < TR * TC; i += THREADS) {
        const int x = i / TR, y = i % TR;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) out[size_t(col) * rows + row] = tile[y * 16 + (x ^ (((y / 2) ^ ((y / 2) >> 1)) % 16))];
      }
    }
}
