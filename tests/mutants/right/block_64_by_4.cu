// Right: 64 × 4 threads read, eight warps write
// judged by: 04_shared_tile
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {64, 4}, .tile = {32, 64}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][65];
  const size_t r0 = size_t(blockIdx.y) * 32, c0 = size_t(blockIdx.x) * 64;
  for (int y = threadIdx.y; y < 32; y += 4)
    if (r0 + y < rows && c0 + threadIdx.x < cols) tile[y][threadIdx.x] = in[(r0 + y) * cols + c0 + threadIdx.x];
  __syncthreads();
  const int lane = threadIdx.x % 32, w = threadIdx.y * 2 + threadIdx.x / 32;
  for (int x = w; x < 64; x += 8)
    if (r0 + lane < rows && c0 + x < cols) out[(c0 + x) * rows + r0 + lane] = tile[lane][x];
}
