// Right: a tile of 16 × 64, 32 threads, voted, 64 × 64 elements by each block, from the last to the first
// judged by: 05_padding
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 1}, .tile = {64, 64}, .block_x_walks = kRows};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1,
               .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768,
               .shared_store_wavefronts = 32768};
constexpr int TR = 16, TC = 64, THREADS = 32;

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[1056];
  const int thread = threadIdx.y * 32 + threadIdx.x;
  const size_t top = size_t(blockIdx.x) * 64, left = size_t(blockIdx.y) * 64;
  const size_t row0 = top, col0 = left;  (void)row0; (void)col0;

  for (int down = 0; down < 4; ++down)
    for (int right = 0; right < 1; ++right) {
      const size_t row0 = top + down * TR, col0 = left + right * TC;
      __syncthreads();
      for (int i = TR * TC - 1 - thread; i >= 0; i -= THREADS) {
        const int y = i / TC, x = i % TC;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) tile[y * 66 + x] = __ldcs(&in[row * cols + col]);
      }
      __syncthreads();
      for (int i = TR * TC - 1 - thread; i >= 0; i -= THREADS) {
        const int x = i / TR, y = i % TR;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) out[size_t(col) * rows + row] = tile[y * 66 + x];
      }
    }
}
