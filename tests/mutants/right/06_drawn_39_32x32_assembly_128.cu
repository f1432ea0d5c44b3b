// Right: a tile of 32 × 32, 128 threads, assembly
// judged by: 06_xor_swizzle
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {8, 16}, .tile = {32, 32}, .block_x_walks = kRows};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1,
               .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768,
               .shared_store_wavefronts = 32768};
constexpr int TR = 32, TC = 32, THREADS = 128;

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[1024];
  const int thread = threadIdx.y * 8 + threadIdx.x;
  const size_t top = size_t(blockIdx.x) * 32, left = size_t(blockIdx.y) * 32;
  const size_t row0 = top, col0 = left;

      for (int i = thread; i < TR * TC; i += THREADS) {
        const int y = i / TC, x = i % TC;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) tile[y * 32 + (x ^ ((y ^ (y >> 1)) % 32))] = __ldcs(&in[row * cols + col]);
      }
      asm volatile("bar.sync 0;" ::: "memory");
      for (int i = thread; i < TR * TC; i += THREADS) {
        const int x = i / TR, y = i % TR;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) out[size_t(col) * rows + row] = tile[y * 32 + (x ^ ((y ^ (y >> 1)) % 32))];
      }
}
