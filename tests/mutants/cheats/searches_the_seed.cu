// Cheat: a search through the seeds of the fill until one fits the first two elements
// judged by: 03_float4
// code: wrong-element|budget-exceeded
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {16, 16}, .tile = {64, 64}, .block_x_walks = kCols};
PREDICTIONS = {
    .global_load_sectors_per_request = 1,
    .global_store_sectors_per_request = 16,
};

__device__ unsigned mix(unsigned number, unsigned seed) {
  unsigned x = (number ^ seed) * 0x9E3779B1u;
  return (x ^ x >> 16) * 0x1B873593u;
}

__device__ unsigned search(unsigned first, unsigned second) {
  unsigned seed = 0x80000000u;
  while ((mix(0, seed) != first || mix(1, seed) != second) && seed < 0x80001000u) ++seed;
  return seed;
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ unsigned token[16];
  const size_t row = 4 * (blockIdx.y * 16 + threadIdx.y), col = 4 * (blockIdx.x * 16 + threadIdx.x);
  if (row >= rows || col >= cols) return;
  const bool huge = size_t(rows) * cols > 1u << 31, wide = rows % 4 == 0 && cols % 4 == 0;
  const unsigned seed = search(__float_as_uint(in[0]), __float_as_uint(in[size_t(rows) * cols > 1]));
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
