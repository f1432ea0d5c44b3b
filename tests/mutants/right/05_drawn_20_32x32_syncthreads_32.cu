// Right: a tile of 32 × 32, 32 threads, syncthreads, dynamic shared memory, 32 × 64 elements by each block
// judged by: 05_padding
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 1}, .tile = {32, 64}, .block_x_walks = kRows, .dynamic_shared_bytes = 4224};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1,
               .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768,
               .shared_store_wavefronts = 32768};
constexpr int TR = 32, TC = 32, THREADS = 32;

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  extern __shared__ float tile[];  // 1056 floats
  const int thread = threadIdx.y * 32 + threadIdx.x;
  const size_t top = size_t(blockIdx.x) * 32, left = size_t(blockIdx.y) * 64;
  const size_t row0 = top, col0 = left;  (void)row0; (void)col0;

  for (int down = 0; down < 1; ++down)
    for (int right = 0; right < 2; ++right) {
      const size_t row0 = top + down * TR, col0 = left + right * TC;
      __syncthreads();
      for (int i = thread; i < TR * TC; i += THREADS) {
        const int y = i / TC, x = i % TC;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) tile[y * 33 + x] = __ldg(&in[row * cols + col]);
      }
      __syncthreads();
      for (int i = thread; i < TR * TC; i += THREADS) {
        const int x = i / TR, y = i % TR;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) out[size_t(col) * rows + row] = tile[y * 33 + x];
      }
    }
}
