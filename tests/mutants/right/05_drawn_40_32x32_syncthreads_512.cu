// Right: a tile of 32 × 32, 512 threads, syncthreads, from the last to the first
// judged by: 05_padding
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {64, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1,
               .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768,
               .shared_store_wavefronts = 32768};
constexpr int TR = 32, TC = 32, THREADS = 512;

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[1056];
  const int thread = threadIdx.y * 64 + threadIdx.x;
  const size_t top = size_t(blockIdx.y) * 32, left = size_t(blockIdx.x) * 32;
  const size_t row0 = top, col0 = left;

      for (int i = TR * TC - 1 - thread; i >= 0; i -= THREADS) {
        const int y = i / TC, x = i % TC;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) tile[y * 33 + x] = __ldg(&in[row * cols + col]);
      }
      __syncthreads();
      for (int i = TR * TC - 1 - thread; i >= 0; i -= THREADS) {
        const int x = i / TR, y = i % TR;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) out[size_t(col) * rows + row] = tile[y * 33 + x];
      }
}
