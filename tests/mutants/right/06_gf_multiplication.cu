// Right: the permutation is a product in a field of 32 elements and XOR; table by constexpr function
// judged by: 06_xor_swizzle
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

__device__ constexpr unsigned times_x(unsigned v) { return (v << 1 & 31) ^ (v >> 4 ? 5 : 0); }

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32 * 32];
  const size_t r0 = blockIdx.y * 32ull, c0 = blockIdx.x * 32ull;
  const unsigned x = threadIdx.x;
  for (unsigned y = threadIdx.y; y < 32; y += 8)
    if (r0 + y < rows && c0 + x < cols) tile[y << 5 | (x ^ times_x(y))] = in[(r0 + y) * cols + c0 + x];
  __syncthreads();
  for (unsigned y = threadIdx.y; y < 32; y += 8)
    if (c0 + y < cols && r0 + x < rows) out[(c0 + y) * rows + r0 + x] = tile[x << 5 | (y ^ times_x(x))];
}
