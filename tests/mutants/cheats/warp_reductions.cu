// Cheat: each element reaches the whole warp by a reduction; shared memory gets a token
// judged by: 04_shared_tile, 05_padding, 06_xor_swizzle
// code: not-exchanged|many-instructions|budget-exceeded
// points: 0
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 1}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 1,
    .shared_store_wavefronts_per_request = 1,
    .shared_load_wavefronts = 1024,
    .shared_store_wavefronts = 1024,
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float token[32];
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  const int lane = threadIdx.x;
  unsigned v[32];
  for (int k = 0; k < 32; ++k) {
    const bool inside = row0 + k < rows && col0 + lane < cols;
    const unsigned mine = inside ? __float_as_uint(in[(row0 + k) * cols + col0 + lane]) : 0;
#pragma unroll
    for (int c = 0; c < 32; ++c) {
      const unsigned word = __reduce_or_sync(~0u, lane == c ? mine : 0);
      if (lane == k) v[c] = word;
    }
  }
  volatile float* slot = token;
  slot[lane] = __uint_as_float(v[0]), v[0] = __float_as_uint(slot[lane]);
#pragma unroll
  for (int k = 0; k < 32; ++k)
    if (row0 + lane < rows && col0 + k < cols) out[(col0 + k) * rows + row0 + lane] = __uint_as_float(v[k]);
}
