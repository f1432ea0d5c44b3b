// Right: macros for the place in the tile and for the loop; __restrict__, __ldg
// judged by: 04_shared_tile, 05_padding
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

#define TILE 32
#define AT(y, x) s[(y) * (TILE + 1) + (x)]
#define FOR_ROWS(i) for (int i = threadIdx.y; i < TILE; i += blockDim.y)
extern "C" __global__ void transpose(float* __restrict__ out, const float* __restrict__ in, int rows, int cols) {
  __shared__ float s[TILE * (TILE + 1)];
  const size_t x = size_t(blockIdx.x) * TILE + threadIdx.x, y = size_t(blockIdx.y) * TILE;
  FOR_ROWS(j) if (x < cols && y + j < rows) AT(j, threadIdx.x) = __ldg(in + (y + j) * cols + x);
  __syncthreads();
  const size_t xo = size_t(blockIdx.y) * TILE + threadIdx.x, yo = size_t(blockIdx.x) * TILE;
  FOR_ROWS(j) if (xo < rows && yo + j < cols) out[(yo + j) * rows + xo] = AT(threadIdx.x, j);
}
