// Right: each warp begins its rows at another lane
// judged by: 05_padding
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 32; const int w = threadIdx.y, l = (threadIdx.x + 5 * w) & 31;
  for (int y = w; y < 32; y += 8) if (row0 + y < rows && col0 + l < cols) tile[y][l] = in[(row0 + y) * cols + col0 + l];
  __syncthreads();
  for (int x = w; x < 32; x += 8) if (row0 + l < rows && col0 + x < cols) out[(col0 + x) * rows + row0 + l] = tile[l][x];
}
