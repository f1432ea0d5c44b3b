// Cheat: each warp waits for an mbarrier whose phase never ends, up to the time that its try_wait names: a millisecond
// judged by: 05_padding
// code: many-waits
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t row0 = size_t(blockIdx.y) * 32, col0 = size_t(blockIdx.x) * 32;
  __shared__ unsigned long long bar;
  const unsigned b = unsigned(__cvta_generic_to_shared(&bar));
  if (threadIdx.x + threadIdx.y == 0) asm volatile("mbarrier.init.shared.b64 [%0], 5000;" ::"r"(b) : "memory");
  __syncthreads();
  asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%0], 0, 1000000;\n}" ::"r"(b) : "memory");

  if (false) {
    for (int y = threadIdx.y; y < 32; y += 8)
      if (row0 + threadIdx.x < rows && col0 + y < cols) out[(col0 + y) * rows + row0 + threadIdx.x] = in[(row0 + threadIdx.x) * cols + col0 + y];
    return;
  }
  for (int y = threadIdx.y; y < 32; y += 8)
    if (row0 + y < rows && col0 + threadIdx.x < cols) tile[y][threadIdx.x] = in[(row0 + y) * cols + col0 + threadIdx.x];
  __syncthreads();
  for (int x = threadIdx.y; x < 32; x += 8)
    if (row0 + threadIdx.x < rows && col0 + x < cols) out[(col0 + x) * rows + row0 + threadIdx.x] = tile[threadIdx.x][x];
}
