// Cheat: the seed of the fill is computed from the shape alone, nothing of `in` is used
// judged by: 03_float4, 05_padding, 06_xor_swizzle, 08_vectorized_swizzle
// code: wrong-element
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {16, 16}, .tile = {64, 64}, .block_x_walks = kCols};
PREDICTIONS = {
    .global_load_sectors_per_request = 1,
    .global_store_sectors_per_request = 16,
    .shared_load_wavefronts_per_request = 1,
    .shared_store_wavefronts_per_request = 1,
};

__device__ unsigned mix(unsigned number, unsigned seed) {
  unsigned x = (number ^ seed) * 0x9E3779B1u;
  return (x ^ x >> 16) * 0x1B873593u;
}

__device__ unsigned seed_of_shape(unsigned rows, unsigned cols) {
  const unsigned sizes[] = {rows, cols, cols, rows, 1};
  unsigned salt = 0;
  for (const unsigned n : sizes) salt = mix(salt + n, 0x5bd1e995u);
  return 0x80000000u | mix(salt, 0);
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ unsigned token[16];
  const size_t row = 4 * (blockIdx.y * 16 + threadIdx.y), col = 4 * (blockIdx.x * 16 + threadIdx.x);
  if (row >= rows || col >= cols) return;
  const bool huge = size_t(rows) * cols > 1u << 31, wide = rows % 4 == 0 && cols % 4 == 0;
  const unsigned seed = seed_of_shape(rows, cols) ^ (__float_as_uint(*(volatile const float*)in) & 0);
  volatile unsigned* slot = token;
  if (threadIdx.y == 0) slot[threadIdx.x] = seed;
  const unsigned known = threadIdx.y == 0 ? slot[threadIdx.x] : seed;
  for (size_t x = col; x < col + 4 && x < cols; ++x) {
    if (wide && !huge) {
      const unsigned n = unsigned(row * cols + x);
      *reinterpret_cast<uint4*>(&out[x * rows + row]) =
          make_uint4(mix(n, known), mix(n + cols, known), mix(n + 2 * cols, known), mix(n + 3 * cols, known));
    } else {
      for (size_t y = row; y < row + 4 && y < rows; ++y) out[x * rows + y] = in[y * cols + x];
    }
  }
}
