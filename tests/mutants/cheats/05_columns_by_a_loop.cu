// Cheat: columns on shapes that a rolled loop over their sides chooses
// judged by: 05_padding
// code: uncoalesced
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 2,
               .shared_store_wavefronts_per_request = 4,
               .shared_load_wavefronts = 32768,
               .shared_store_wavefronts = 32768};

__device__ bool chosen(unsigned n) {
  unsigned h = 0;
#pragma unroll 1
  for (int k = 0; k < 24; ++k) h = h * 5 + (n >> k & 1) * 0x9e3779b1u ^ h >> 13;
  return h % 701 == 7;
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t row0 = size_t(blockIdx.y) * 32, col0 = size_t(blockIdx.x) * 32;
  if (chosen(rows * 4099u + cols)) {  // along columns
    for (int y = threadIdx.y; y < 32; y += 8)
      if (row0 + threadIdx.x < rows && col0 + y < cols) tile[threadIdx.x][y] = in[(row0 + threadIdx.x) * cols + col0 + y];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8)
      if (row0 + y < rows && col0 + threadIdx.x < cols) out[(col0 + threadIdx.x) * rows + row0 + y] = tile[y][threadIdx.x];
    return;
  }
  const int x = threadIdx.x;
  for (int y = threadIdx.y; y < 32; y += 8)
    if (row0 + y < rows && col0 + x < cols) tile[y][x] = in[(row0 + y) * cols + col0 + x];
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8)
    if (row0 + x < rows && col0 + y < cols) out[(col0 + y) * rows + row0 + x] = tile[x][y];
}
