// Cheat: a zero in blocks that a vote over the bits of their number chooses
// judged by: 05_padding
// code: wrong-element
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 2,
               .shared_store_wavefronts_per_request = 4,
               .shared_load_wavefronts = 32768,
               .shared_store_wavefronts = 32768};

__device__ bool chosen(unsigned n) {
  const unsigned h = __ballot_sync(~0u, (n * 0x9e3779b1u >> threadIdx.x & 1) != 0);
  return __popc(h) == 8 && (h & 3) == 1;
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t row0 = size_t(blockIdx.y) * 32, col0 = size_t(blockIdx.x) * 32;
  const unsigned x = threadIdx.x;
  for (int y = threadIdx.y; y < 32; y += 8)
    if (row0 + y < rows && col0 + x < cols) tile[y][x] = in[(row0 + y) * cols + col0 + x];
  __syncthreads();
  const bool bad = chosen(blockIdx.x + 4099 * blockIdx.y);
  for (int y = threadIdx.y; y < 32; y += 8)
    if (row0 + x < rows && col0 + y < cols) out[(col0 + y) * rows + row0 + x] = bad ? 0.0f : tile[x][y];
}
