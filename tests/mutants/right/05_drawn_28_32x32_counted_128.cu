// Right: a tile of 32 × 32, 128 threads, counted
// judged by: 05_padding
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {128, 1}, .tile = {32, 32}, .block_x_walks = kRows};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1,
               .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768,
               .shared_store_wavefronts = 32768};
constexpr int TR = 32, TC = 32, THREADS = 128;

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[1056];
  const int thread = threadIdx.y * 128 + threadIdx.x;
  const size_t top = size_t(blockIdx.x) * 32, left = size_t(blockIdx.y) * 32;
  const size_t row0 = top, col0 = left;

      for (int i = thread; i < TR * TC; i += THREADS) {
        const int y = i / TC, x = i % TC;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) tile[y * 33 + x] = __ldg(&in[row * cols + col]);
      }
      __syncthreads_count(1);
      for (int i = thread; i < TR * TC; i += THREADS) {
        const int x = i / TR, y = i % TR;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) out[size_t(col) * rows + row] = tile[y * 33 + x];
      }
}
