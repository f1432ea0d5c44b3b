// Right: a tile of 8 × 64, 128 threads, groups, dynamic shared memory
// judged by: 05_padding
#include <cooperative_groups.h>
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {128, 1}, .tile = {8, 64}, .block_x_walks = kRows, .dynamic_shared_bytes = 2176};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1,
               .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768,
               .shared_store_wavefronts = 32768};
constexpr int TR = 8, TC = 64, THREADS = 128;

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  extern __shared__ float tile[];  // 544 floats
  const int thread = threadIdx.y * 128 + threadIdx.x;
  const size_t top = size_t(blockIdx.x) * 8, left = size_t(blockIdx.y) * 64;
  const size_t row0 = top, col0 = left;

      for (int i = thread; i < TR * TC; i += THREADS) {
        const int y = i / TC, x = i % TC;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) tile[y * 68 + x] = __ldcs(&in[row * cols + col]);
      }
      cooperative_groups::this_thread_block().sync();
      for (int i = thread; i < TR * TC; i += THREADS) {
        const int x = i / TR, y = i % TR;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) out[size_t(col) * rows + row] = tile[y * 68 + x];
      }
}
