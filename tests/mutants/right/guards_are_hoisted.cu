// Right: whole tiles without a guard, others with one
// judged by: 05_padding
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 16}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t row0 = size_t(blockIdx.y) * 32, col0 = size_t(blockIdx.x) * 32, lane = threadIdx.x;
  const bool whole = row0 + 32 <= rows && col0 + 32 <= cols;
  const float* from = in + (row0 + threadIdx.y) * cols + col0 + lane;
  float* to = out + (col0 + threadIdx.y) * rows + row0 + lane;
  if (whole) {
    tile[threadIdx.y][lane] = from[0];
    tile[threadIdx.y + 16][lane] = from[size_t(16) * cols];
    __syncthreads();
    to[0] = tile[lane][threadIdx.y];
    to[size_t(16) * rows] = tile[lane][threadIdx.y + 16];
  } else {
    for (int k = 0; k < 32; k += 16)
      if (row0 + threadIdx.y + k < rows && col0 + lane < cols) tile[threadIdx.y + k][lane] = from[size_t(k) * cols];
    __syncthreads();
    for (int k = 0; k < 32; k += 16)
      if (row0 + lane < rows && col0 + threadIdx.y + k < cols) to[size_t(k) * rows] = tile[lane][threadIdx.y + k];
  }
}
