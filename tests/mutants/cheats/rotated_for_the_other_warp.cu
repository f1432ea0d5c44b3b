// Cheat: diagonals of two tiles of 32 × 32: each warp hands all of its own to the other warp, lane for lane
// judged by: 04_shared_tile, 05_padding
// code: not-exchanged
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 2}, .tile = {64, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float slot[2][32][32];
  const size_t row0 = blockIdx.y * 64 + threadIdx.y * 32, col0 = blockIdx.x * 32;
  const int lane = threadIdx.x, partner = lane, other = 1 - threadIdx.y;
  float v[32], w[32];
#pragma unroll
  for (int r = 0; r < 32; ++r) {
    const int c = (r + partner) % 32;
    v[r] = row0 + r < rows && col0 + c < cols ? in[(row0 + r) * cols + col0 + c] : 0;
  }
  // v[r] becomes w[(r + partner) % 32], with no register indexed by the lane.
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
#pragma unroll
    for (int r = 0; r < 32; ++r) w[(r + step) % 32] = (partner & step) != 0 ? v[r] : v[(r + step) % 32];
#pragma unroll
    for (int r = 0; r < 32; ++r) v[r] = w[r];
  }
#pragma unroll
  for (int c = 0; c < 32; ++c) slot[threadIdx.y][c][lane] = v[c];
  __syncthreads();
#pragma unroll
  for (int c = 0; c < 32; ++c) {
    const int r = (c - lane) & 31;
    const size_t row1 = blockIdx.y * 64 + other * 32;
    if (row1 + r < rows && col0 + c < cols) out[(col0 + c) * rows + row1 + r] = slot[other][c][lane];
  }
}
