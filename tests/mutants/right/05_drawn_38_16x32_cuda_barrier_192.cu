// Right: a tile of 16 × 32, 192 threads, cuda barrier
// judged by: 05_padding
#include <cuda/barrier>
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {192, 1}, .tile = {16, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1,
               .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768,
               .shared_store_wavefronts = 32768};
constexpr int TR = 16, TC = 32, THREADS = 192;

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[544];
  const int thread = threadIdx.y * 192 + threadIdx.x;
  const size_t top = size_t(blockIdx.y) * 16, left = size_t(blockIdx.x) * 32;
  const size_t row0 = top, col0 = left;

  #pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (thread == 0) init(&bar, 192);
  __syncthreads();

      for (int i = thread; i < TR * TC; i += THREADS) {
        const int y = i / TC, x = i % TC;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) tile[y * 34 + x] = __ldg(&in[row * cols + col]);
      }
      bar.arrive_and_wait();
      for (int i = thread; i < TR * TC; i += THREADS) {
        const int x = i / TR, y = i % TR;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) out[size_t(col) * rows + row] = tile[y * 34 + x];
      }
}
