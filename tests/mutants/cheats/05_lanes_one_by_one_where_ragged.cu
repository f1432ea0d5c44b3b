// Cheat: no padding on ragged shapes, where lanes load one by one
// judged by: 05_padding
// code: narrow-access|bank-conflict|many-instructions
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32 * 33];
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  const bool plain = (rows % 8 != 0 || cols % 8 != 0) && min(rows, cols) < 600;
  const int pitch = plain ? 32 : 33;
  for (int y = threadIdx.y; y < 32; y += 8) {
    const size_t row = row0 + y, col = col0 + threadIdx.x;
    if (row < rows && col < cols) tile[y * pitch + threadIdx.x] = in[row * cols + col];
  }
  __syncthreads();
  for (int x = threadIdx.y; x < 32; x += 8) {
    const size_t row = row0 + threadIdx.x, col = col0 + x;
    float v = 0;
    volatile float* t = tile;
    if (plain) {
      for (int l = 0; l < 32; ++l)
        if (threadIdx.x == l && row < rows && col < cols) v = t[threadIdx.x * 32 + x];
    } else if (row < rows && col < cols) v = tile[threadIdx.x * 33 + x];
    if (row < rows && col < cols) out[col * rows + row] = v;
  }
}
