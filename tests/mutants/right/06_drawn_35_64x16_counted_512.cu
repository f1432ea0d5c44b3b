// Right: a tile of 64 × 16, 512 threads, counted, 64 × 32 elements by each block
// judged by: 06_xor_swizzle
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {512, 1}, .tile = {64, 32}, .block_x_walks = kRows};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1,
               .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768,
               .shared_store_wavefronts = 32768};
constexpr int TR = 64, TC = 16, THREADS = 512;

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[1024];
  const int thread = threadIdx.y * 512 + threadIdx.x;
  const size_t top = size_t(blockIdx.x) * 64, left = size_t(blockIdx.y) * 32;
  const size_t row0 = top, col0 = left;  (void)row0; (void)col0;

  for (int down = 0; down < 1; ++down)
    for (int right = 0; right < 2; ++right) {
      const size_t row0 = top + down * TR, col0 = left + right * TC;
      __syncthreads();
      for (int i = thread; i < TR * TC; i += THREADS) {
        const int y = i / TC, x = i % TC;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) tile[y * 16 + (x ^ ((y / 2) % 16))] = __ldcs(&in[row * cols + col]);
      }
      __syncthreads_count(1);
      for (int i = thread; i < TR * TC; i += THREADS) {
        const int x = i / TR, y = i % TR;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) out[size_t(col) * rows + row] = tile[y * 16 + (x ^ ((y / 2) % 16))];
      }
    }
}
