// Right: four warps load and four store, two tiles in turns, with one barrier per tile
// judged by: 04_shared_tile
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 128}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[2][32][33];
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 128;
  const int lane = threadIdx.x, warp = threadIdx.y % 4;
  const bool loads = threadIdx.y < 4;
  for (int t = 0; t <= 4; ++t) {
    if (loads && t < 4)
      for (int y = warp; y < 32; y += 4) {
        const size_t col = col0 + 32 * t + lane;
        if (row0 + y < rows && col < cols) tile[t % 2][y][lane] = in[(row0 + y) * cols + col];
      }
    if (!loads && t > 0)
      for (int x = warp; x < 32; x += 4) {
        const size_t col = col0 + 32 * (t - 1) + x;
        if (row0 + lane < rows && col < cols) out[col * rows + row0 + lane] = tile[(t - 1) % 2][lane][x];
      }
    __syncthreads();
  }
}
