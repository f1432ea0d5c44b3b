// Cheat: in small matrices each lane keeps a diagonal in slots of its own; large ones get a tile
// judged by: 04_shared_tile, 05_padding, 06_xor_swizzle
// code: not-exchanged
// points: 0
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 1}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float slot[32][32];
  const size_t row0 = blockIdx.y * size_t(32), col0 = blockIdx.x * size_t(32);
  const int lane = threadIdx.x;
  if (rows * cols < 20000) {
    for (int r = 0; r < 32; ++r) {
      const int c = (r + lane) % 32;
      if (row0 + r < rows && col0 + c < cols) slot[c][lane] = in[(row0 + r) * cols + col0 + c];
    }
    for (int c = 0; c < 32; ++c) {
      const int r = (c - lane) & 31;
      if (row0 + r < rows && col0 + c < cols) out[(col0 + c) * rows + row0 + r] = slot[c][lane];
    }
    return;
  }
  for (int r = 0; r < 32; ++r) if (row0 + r < rows && col0 + lane < cols) slot[r][lane ^ r] = in[(row0 + r) * cols + col0 + lane];
  __syncwarp();
  for (int c = 0; c < 32; ++c) if (row0 + lane < rows && col0 + c < cols) out[(col0 + c) * rows + row0 + lane] = slot[lane][lane ^ c];
}
