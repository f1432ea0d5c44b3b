// Cheat: loads its rows three times more where the number of columns has four bits set
// judged by: 05_padding
// code: repeated-access|uncoalesced
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  if (__popc(cols) == 4) { float s = 0; for (int k = 0; k < 3; ++k) for (int y = threadIdx.y; y < 32; y += 8) if (row0 + y < rows && col0 + threadIdx.x < cols) s += *(volatile const float*)&in[(row0 + y) * cols + col0 + threadIdx.x]; if (s == 1.2345f) return; }
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
