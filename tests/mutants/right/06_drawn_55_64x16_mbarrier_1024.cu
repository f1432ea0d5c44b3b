// Right: a tile of 64 × 16, 1024 threads, mbarrier, from the last to the first
// judged by: 06_xor_swizzle
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {16, 64}, .tile = {64, 16}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1,
               .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768,
               .shared_store_wavefronts = 32768};
constexpr int TR = 64, TC = 16, THREADS = 1024;

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[1024];
  const int thread = threadIdx.y * 16 + threadIdx.x;
  const size_t top = size_t(blockIdx.y) * 64, left = size_t(blockIdx.x) * 16;
  const size_t row0 = top, col0 = left;

  __shared__ unsigned long long bar;
  const unsigned b = unsigned(__cvta_generic_to_shared(&bar));
  if (thread == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1024;" ::"r"(b) : "memory");
  __syncthreads();

      for (int i = TR * TC - 1 - thread; i >= 0; i -= THREADS) {
        const int y = i / TC, x = i % TC;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) tile[y * 16 + (x ^ (((y / 2) ^ ((y / 2) >> 1)) % 16))] = __ldcs(&in[row * cols + col]);
      }
      asm volatile("{\n.reg .b64 s;\n.reg .pred p;\nmbarrier.arrive.shared.b64 s, [%0];\nW: mbarrier.try_wait.shared.b64 p, [%0], s;\n@!p bra W;\n}" ::"r"(b) : "memory");
      for (int i = TR * TC - 1 - thread; i >= 0; i -= THREADS) {
        const int x = i / TR, y = i % TR;
        const size_t row = row0 + y, col = col0 + x;
        if (row < rows && col < cols) out[size_t(col) * rows + row] = tile[y * 16 + (x ^ (((y / 2) ^ ((y / 2) >> 1)) % 16))];
      }
}
