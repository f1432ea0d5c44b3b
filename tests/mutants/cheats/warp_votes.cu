// Cheat: elements travel bit by bit, as the votes of a warp; shared memory gets a token
// judged by: 04_shared_tile, 05_padding, 06_xor_swizzle
// code: not-exchanged|budget-exceeded|many-instructions
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
  for (int k = 0; k < 32; ++k) {  // lane k keeps row k: word b has bit b of all its elements
    const bool inside = row0 + k < rows && col0 + lane < cols;
    const unsigned mine = inside ? __float_as_uint(in[(row0 + k) * cols + col0 + lane]) : 0;
#pragma unroll
    for (int b = 0; b < 32; ++b) {
      const unsigned votes = __ballot_sync(~0u, mine >> b & 1);
      if (lane == k) v[b] = votes;
    }
  }
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    const unsigned low = ~0u / ((1u << step) + 1);  // bits whose number has no `step`
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      if (i & step) continue;
      const unsigned a = v[i], b = v[i + step];
      v[i] = a & low | (b & low) << step;
      v[i + step] = a >> step & low | b & ~low;
    }
  }
  volatile float* slot = token;
  slot[lane] = __uint_as_float(v[0]), v[0] = __float_as_uint(slot[lane]);
#pragma unroll
  for (int k = 0; k < 32; ++k)
    if (row0 + lane < rows && col0 + k < cols) out[(col0 + k) * rows + row0 + lane] = __uint_as_float(v[k]);
}
