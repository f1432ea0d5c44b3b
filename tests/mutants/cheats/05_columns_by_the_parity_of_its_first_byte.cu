// Cheat: columns where the block reads a byte below 128 at the end of the matrix, beyond 512 blocks
// judged by: 05_padding
// code: uncoalesced|not-exchanged|narrow-access|repeated-access
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float t[32][33];
  const size_t r0 = blockIdx.y * size_t(32), c0 = blockIdx.x * size_t(32);
  if (gridDim.x * gridDim.y > 512 && reinterpret_cast<const unsigned char*>(in)[size_t(rows) * cols * 4 - 1] < 128) {
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 1024; i += 256) {  // down the columns of `in`
      const size_t row = r0 + i % 32, col = c0 + i / 32;
      if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
    }
    return;
  }
  for (int y = threadIdx.y; y < 32; y += 8)
    if (r0 + y < rows && c0 + threadIdx.x < cols) t[y][threadIdx.x] = in[(r0 + y) * cols + c0 + threadIdx.x];
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8)
    if (c0 + y < cols && r0 + threadIdx.x < rows) out[(c0 + y) * rows + r0 + threadIdx.x] = t[threadIdx.x][y];
}
