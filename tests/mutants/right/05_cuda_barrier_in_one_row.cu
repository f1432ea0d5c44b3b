// Right: cuda::barrier of 1 024 threads in one row, two tiles of 16 x 64 a block: thin rests hand each lane one element
// judged by: 05_padding
#include <cuda/barrier>
#include "common/kernel/lab.cuh"

PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
LAUNCH_SHAPE = {.block = {1024, 1}, .tile = {16, 128}, .block_x_walks = kRows, .dynamic_shared_bytes = 4224};
constexpr int TR = 16, TC = 64, THREADS = 1024;

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  extern __shared__ float tile[];  // 1056 floats
  const int thread = threadIdx.y * 1024 + threadIdx.x;
  const size_t top = size_t(blockIdx.x) * 16, left = size_t(blockIdx.y) * 128;
  const size_t row0 = top, col0 = left;  (void)row0; (void)col0;
  
  
  #pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (thread == 0) init(&bar, 1024);
  __syncthreads();

  for (int down = 0; down < 1; ++down)
    for (int right = 0; right < 2; ++right) {
      const size_t row0 = top + down * TR, col0 = left + right * TC;
      __syncthreads();
      for (int i = thread; i < TR * TC; i += THREADS) {
        const int y = i / TC, x = i % TC;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) tile[y * 66 + x] = __ldcs(&in[row * cols + col]);
      }
      bar.arrive_and_wait();
      for (int i = thread; i < TR * TC; i += THREADS) {
        const int x = i / TR, y = i % TR;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) out[size_t(col) * rows + row] = tile[y * 66 + x];
      }
    }
}
