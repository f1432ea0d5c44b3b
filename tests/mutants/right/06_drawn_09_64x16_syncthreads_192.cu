// Right: a tile of 64 × 16, 192 threads, syncthreads, dynamic shared memory
// judged by: 06_xor_swizzle
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 6}, .tile = {64, 16}, .block_x_walks = kRows, .dynamic_shared_bytes = 4096};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1,
               .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768,
               .shared_store_wavefronts = 32768};
constexpr int TR = 64, TC = 16, THREADS = 192;

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  extern __shared__ float tile[];  // 1024 floats
  const int thread = threadIdx.y * 32 + threadIdx.x;
  const size_t top = size_t(blockIdx.x) * 64, left = size_t(blockIdx.y) * 16;
  const size_t row0 = top, col0 = left;

      for (int i = thread; i < TR * TC; i += THREADS) {
        const int y = i / TC, x = i % TC;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) tile[y * 16 + (x ^ (((y / 2) ^ ((y / 2) >> 1)) % 16))] = __ldcs(&in[row * cols + col]);
      }
      __syncthreads();
      for (int i = thread; i < TR * TC; i += THREADS) {
        const int x = i / TR, y = i % TR;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) out[size_t(col) * rows + row] = tile[y * 16 + (x ^ (((y / 2) ^ ((y / 2) >> 1)) % 16))];
      }
}
