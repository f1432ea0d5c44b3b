// Right: the permutation stands in a constant table
// judged by: 06_xor_swizzle
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

__constant__ unsigned char place[32] = {0, 16, 8, 24, 4, 20, 12, 28, 2, 18, 10, 26, 6, 22, 14, 30, 1, 17, 9, 25, 5, 21, 13, 29, 3, 19, 11, 27, 7, 23, 15, 31};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float t[32][32];
  const size_t r0 = blockIdx.y * size_t(32), c0 = blockIdx.x * size_t(32);
  const int x = threadIdx.x;
  for (int y = threadIdx.y; y < 32; y += 8)
    if (r0 + y < rows && c0 + x < cols) t[y][x ^ place[y]] = in[(r0 + y) * cols + c0 + x];
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8)
    if (c0 + y < cols && r0 + x < rows) out[(c0 + y) * rows + r0 + x] = t[x][y ^ place[x]];
}
