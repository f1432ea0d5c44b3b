// Open: lanes take diagonals and give them to three lanes of their warp: all accesses of a tile, and no barrier
// judged by: 04_shared_tile, 05_padding, 06_xor_swizzle
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 1}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

// Whose diagonal a lane reads in row r.
__device__ int whose(int lane, int r) { return lane ^ (1 + r % 3); }
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float slot[32][32];
  const size_t row0 = blockIdx.y * size_t(32), col0 = blockIdx.x * size_t(32);
  const int lane = threadIdx.x;
  for (int r = 0; r < 32; ++r) {
    const int q = whose(lane, r), c = (r + q) % 32;
    if (row0 + r < rows && col0 + c < cols) slot[c][q] = in[(row0 + r) * cols + col0 + c];
  }
  __syncwarp();
  for (int c = 0; c < 32; ++c) {
    const int r = (c - lane) & 31;
    if (row0 + r < rows && col0 + c < cols) out[(col0 + c) * rows + row0 + r] = slot[c][lane];
  }
}
