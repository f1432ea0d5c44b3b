// Right: four warps load, four store, handed over by named barriers
// judged by: 05_padding
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float t[32][33];
  const size_t r0 = blockIdx.y * size_t(32), c0 = blockIdx.x * size_t(32);
  const int x = threadIdx.x;
  if (threadIdx.y < 4) {
    for (int y = threadIdx.y; y < 32; y += 4)
      if (r0 + y < rows && c0 + x < cols) t[y][x] = in[(r0 + y) * cols + c0 + x];
    __threadfence_block();
    asm volatile("barrier.arrive 1, 256;" ::: "memory");
    return;
  }
  asm volatile("barrier.sync 1, 256;" ::: "memory");
  for (int y = threadIdx.y - 4; y < 32; y += 4)
    if (c0 + y < cols && r0 + x < rows) out[(c0 + y) * rows + r0 + x] = t[x][y];
}
