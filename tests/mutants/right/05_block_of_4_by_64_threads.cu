// Right: a block of 4 by 64 threads that counts them in a line
// judged by: 05_padding
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {4, 64}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const int t = threadIdx.y * 4 + threadIdx.x; const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  for (int i = t; i < 1024; i += 256) { const size_t row = row0 + i / 32, col = col0 + i % 32; if (row < rows && col < cols) tile[i / 32][i % 32] = in[row * cols + col]; }
  __syncthreads();
  for (int i = t; i < 1024; i += 256) { const size_t row = row0 + i % 32, col = col0 + i / 32; if (row < rows && col < cols) out[col * rows + row] = tile[i % 32][i / 32]; }
}
