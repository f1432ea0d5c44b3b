// Cheat: walks along columns in blocks more than three away from every edge
// judged by: 05_padding
// code: uncoalesced
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  if (blockIdx.x > 2 && blockIdx.y > 2 && blockIdx.x + 3 < gridDim.x && blockIdx.y + 3 < gridDim.y) { for (int x = threadIdx.x; x < 32; x += 32) for (int y = threadIdx.y; y < 32; y += 8) { const size_t row = row0 + x, col = col0 + y; if (row < rows && col < cols) tile[x][y] = in[row * cols + col]; } __syncthreads();
 for (int y = threadIdx.y; y < 32; y += 8) { const size_t row = row0 + y, col = col0 + threadIdx.x; if (row < rows && col < cols) out[col * rows + row] = tile[y][threadIdx.x]; } return; }
  for (int y = threadIdx.y; y < 32; y += 8) {
    const int x = threadIdx.x; const size_t row = row0 + y, col = col0 + x;
    if (row < rows && col < cols) tile[y][x] = in[row * cols + col];
  }
  __syncthreads();
  for (int x = threadIdx.y; x < 32; x += 8) {
    const int y = threadIdx.x; const size_t row = row0 + y, col = col0 + x;
    if (row < rows && col < cols) { const float V = tile[y][x]; out[col * rows + row] = V; }
  }
}
