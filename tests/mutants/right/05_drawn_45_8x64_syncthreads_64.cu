// Right: a tile of 8 × 64, 64 threads, syncthreads, dynamic shared memory, 16 × 128 elements by each block
// judged by: 05_padding
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {64, 1}, .tile = {16, 128}, .block_x_walks = kCols, .dynamic_shared_bytes = 2176};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1,
               .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768,
               .shared_store_wavefronts = 32768};
constexpr int TR = 8, TC = 64, THREADS = 64;

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  extern __shared__ float tile[];  // 544 floats
  const int thread = threadIdx.y * 64 + threadIdx.x;
  const size_t top = size_t(blockIdx.y) * 16, left = size_t(blockIdx.x) * 128;
  const size_t row0 = top, col0 = left;  (void)row0; (void)col0;

  for (int down = 0; down < 2; ++down)
    for (int right = 0; right < 2; ++right) {
      const size_t row0 = top + down * TR, col0 = left + right * TC;
      __syncthreads();
      for (int i = thread; i < TR * TC; i += THREADS) {
        const int y = i / TC, x = i % TC;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) tile[y * 68 + x] = __ldcs(&in[row * cols + col]);
      }
      __syncthreads();
      for (int i = thread; i < TR * TC; i += THREADS) {
        const int x = i / TR, y = i % TR;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) out[size_t(col) * rows + row] = tile[y * 68 + x];
      }
    }
}
