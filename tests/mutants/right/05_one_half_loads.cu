// Right: warps with jobs of their own: four fill one half of a tile while the others fill the other, and each stores what the others loaded
// judged by: 04_shared_tile, 05_padding
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float t[32][33];
  const size_t r0 = blockIdx.y * size_t(32), c0 = blockIdx.x * size_t(32);
  const int half = threadIdx.y / 4, y0 = threadIdx.y % 4;
  for (int y = 16 * half + y0; y < 16 * half + 16; y += 4)
    if (r0 + y < rows && c0 + threadIdx.x < cols) t[y][threadIdx.x] = in[(r0 + y) * cols + c0 + threadIdx.x];
  if (half == 0) {  // two named barriers, one for each way
    asm volatile("bar.arrive 1, 256;" ::: "memory");
    asm volatile("bar.sync 2, 256;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 256;" ::: "memory");
    asm volatile("bar.arrive 2, 256;" ::: "memory");
  }
  if (half == 1) __threadfence_block();
  for (int y = 16 * (1 - half) + y0; y < 16 * (1 - half) + 16; y += 4)
    if (c0 + y < cols && r0 + threadIdx.x < rows) out[(c0 + y) * rows + r0 + threadIdx.x] = t[threadIdx.x][y];
}
