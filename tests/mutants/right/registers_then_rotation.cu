// Right: eight elements in registers first, then rows rotated by their number
// judged by: 06_xor_swizzle
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 4}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float t[32][32];
  const size_t r0 = blockIdx.y * size_t(32), c0 = blockIdx.x * size_t(32);
  float reg[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const size_t r = r0 + threadIdx.y * 8 + k, c = c0 + threadIdx.x;
    reg[k] = r < rows && c < cols ? in[r * cols + c] : 0.f;
  }
#pragma unroll
  for (int k = 0; k < 8; ++k) t[threadIdx.y * 8 + k][(threadIdx.x + threadIdx.y * 8 + k) % 32] = reg[k];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const int x = threadIdx.y * 8 + k;
    if (c0 + x < cols && r0 + threadIdx.x < rows) out[(c0 + x) * rows + r0 + threadIdx.x] = t[threadIdx.x][(x + threadIdx.x) % 32];
  }
}
