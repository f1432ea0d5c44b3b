// Right: lanes swap with their neighbour on the way into the tile
// judged by: 06_xor_swizzle
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float t[32][32];
  const size_t r0 = blockIdx.y * size_t(32), c0 = blockIdx.x * size_t(32);
  const int x = threadIdx.x;
  for (int y = threadIdx.y; y < 32; y += 8) {
    const bool there = r0 + y < rows && c0 + x < cols;
    float v = there ? in[(r0 + y) * cols + c0 + x] : 0.f;
    v = __shfl_xor_sync(~0u, v, 1);
    if (r0 + y < rows && c0 + (x ^ 1) < cols) t[y][x ^ 1 ^ y] = v;
  }
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8)
    if (c0 + y < cols && r0 + x < rows) out[(c0 + y) * rows + r0 + x] = t[x][y ^ x];
}
