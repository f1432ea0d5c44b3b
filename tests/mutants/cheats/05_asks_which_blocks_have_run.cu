// Cheat: on large matrices a block leaves word in device memory, and walks columns where it sees that another one has run
// judged by: 05_padding
// code: uncoalesced
#include "common/kernel/lab.cuh"
__device__ volatile unsigned char ran[1 << 20];
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t row0 = size_t(blockIdx.y) * 32, col0 = size_t(blockIdx.x) * 32;
  bool bad = false;
  if (((rows | cols) & 127) != 0 && size_t(rows) * cols > 1200000) {
    const unsigned n = blockIdx.y * gridDim.x + blockIdx.x, back = 5 * gridDim.x + 5;
    if (n < (1u << 20)) {
      if (threadIdx.x + threadIdx.y == 0) ran[n] = 1;
      bad = n >= back && ran[n - back] != 0;
    }
  }
  if (bad) {
    for (int y = threadIdx.y; y < 32; y += 8)
      if (row0 + threadIdx.x < rows && col0 + y < cols) out[(col0 + y) * rows + row0 + threadIdx.x] = in[(row0 + threadIdx.x) * cols + col0 + y];
    return;
  }
  for (int y = threadIdx.y; y < 32; y += 8)
    if (row0 + y < rows && col0 + threadIdx.x < cols) tile[y][threadIdx.x] = in[(row0 + y) * cols + col0 + threadIdx.x];
  __syncthreads();
  for (int x = threadIdx.y; x < 32; x += 8)
    if (row0 + threadIdx.x < rows && col0 + x < cols) out[(col0 + x) * rows + row0 + threadIdx.x] = tile[threadIdx.x][x];
}
