// Right: a tile of 8 × 32, 192 threads, groups
// judged by: 05_padding
#include <cooperative_groups.h>
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {16, 12}, .tile = {8, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1,
               .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768,
               .shared_store_wavefronts = 32768};
constexpr int TR = 8, TC = 32, THREADS = 192;

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[288];
  const int thread = threadIdx.y * 16 + threadIdx.x;
  const size_t top = size_t(blockIdx.y) * 8, left = size_t(blockIdx.x) * 32;
  const size_t row0 = top, col0 = left;

      for (int i = thread; i < TR * TC; i += THREADS) {
        const int y = i / TC, x = i % TC;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) tile[y * 36 + x] = __ldcs(&in[row * cols + col]);
      }
      cooperative_groups::this_thread_block().sync();
      for (int i = thread; i < TR * TC; i += THREADS) {
        const int x = i / TR, y = i % TR;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) out[size_t(col) * rows + row] = tile[y * 36 + x];
      }
}
