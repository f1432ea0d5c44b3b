// Right: the mask of the permutation comes from blockDim at run time, and blocks walk over four tiles of a strip
// judged by: 06_xor_swizzle
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {128, 32}, .block_x_walks = kCols};

__device__ inline unsigned turned(unsigned y, unsigned x, unsigned mask) { return y * (mask + 1) + ((x + y) & mask); }

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[1024];
  const unsigned mask = blockDim.x - 1, lane = threadIdx.x;
  const size_t col0 = size_t(blockIdx.x) * 32;
  for (size_t row0 = size_t(blockIdx.y) * 128, end = row0 + 128; row0 < end && row0 < rows; row0 += 32) {
    for (unsigned y = threadIdx.y; y <= mask; y += blockDim.y)
      if (row0 + y < rows && col0 + lane < cols) tile[turned(y, lane, mask)] = in[(row0 + y) * cols + col0 + lane];
    __syncthreads();
    for (unsigned x = threadIdx.y; x <= mask; x += blockDim.y)
      if (row0 + lane < rows && col0 + x < cols) out[(col0 + x) * rows + row0 + lane] = tile[turned(lane, x, mask)];
    __syncthreads();
  }
}
