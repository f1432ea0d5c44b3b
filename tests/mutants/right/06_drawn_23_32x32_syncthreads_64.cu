// Right: a tile of 32 × 32, 64 threads, syncthreads, dynamic shared memory
// judged by: 06_xor_swizzle
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 2}, .tile = {32, 32}, .block_x_walks = kRows, .dynamic_shared_bytes = 4096};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1,
               .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768,
               .shared_store_wavefronts = 32768};
constexpr int TR = 32, TC = 32, THREADS = 64;

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  extern __shared__ float tile[];  // 1024 floats
  const int thread = threadIdx.y * 32 + threadIdx.x;
  const size_t top = size_t(blockIdx.x) * 32, left = size_t(blockIdx.y) * 32;
  const size_t row0 = top, col0 = left;

      for (int i = thread; i < TR * TC; i += THREADS) {
        const int y = i / TC, x = i % TC;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) tile[y * 32 + (x ^ ((y ^ (y >> 1)) % 32))] = __ldcs(&in[row * cols + col]);
      }
      __syncthreads();
      for (int i = thread; i < TR * TC; i += THREADS) {
        const int x = i / TR, y = i % TR;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) out[size_t(col) * rows + row] = tile[y * 32 + (x ^ ((y ^ (y >> 1)) % 32))];
      }
}
