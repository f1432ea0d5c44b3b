// Right: four warps load and four store, two tiles in turn, with barriers that one side only arrives at
// judged by: 04_shared_tile
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {256, 1}, .tile = {32, 128}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {

  __shared__ float tile[2][32][33];
  const size_t row0 = size_t(blockIdx.y) * 32, left = size_t(blockIdx.x) * 128;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (warp < 4) {
    for (int k = 0; k < 4; ++k) {
      const size_t col = left + 32 * k + lane;
      if (k >= 2) asm volatile("bar.sync %0, 256;" ::"r"(3 + k % 2) : "memory");
      for (int y = warp; y < 32; y += 4)
        if (row0 + y < rows && col < cols) tile[k % 2][y][lane] = in[(row0 + y) * cols + col];
      asm volatile("bar.arrive %0, 256;" ::"r"(1 + k % 2) : "memory");
    }
  } else {
    for (int k = 0; k < 4; ++k) {
      asm volatile("bar.sync %0, 256;" ::"r"(1 + k % 2) : "memory");
      for (int x = warp - 4; x < 32; x += 4) {
        const size_t col = left + 32 * k + x;
        if (row0 + lane < rows && col < cols) out[col * rows + row0 + lane] = tile[k % 2][lane][x];
      }
      if (k < 2) asm volatile("bar.arrive %0, 256;" ::"r"(3 + k % 2) : "memory");
    }
  }
}
