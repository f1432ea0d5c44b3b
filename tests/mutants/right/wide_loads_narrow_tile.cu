// Right: loads of 16 bytes where rows allow it; the tile takes single floats
// judged by: 04_shared_tile, 05_padding
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 1,
    .shared_store_wavefronts_per_request = 1,
    .shared_load_wavefronts = 32768,
    .shared_store_wavefronts = 32768,
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  const int t = threadIdx.y * 32 + threadIdx.x;
  if (cols % 4 == 0) {
    const int y = t / 8, x = t % 8 * 4;
    if (row0 + y < rows && col0 + x < cols) {
      const float4 v = *reinterpret_cast<const float4*>(&in[(row0 + y) * cols + col0 + x]);
      tile[y][x] = v.x, tile[y][x + 1] = v.y, tile[y][x + 2] = v.z, tile[y][x + 3] = v.w;
    }
  } else {
    for (int y = threadIdx.y; y < 32; y += 8)
      if (row0 + y < rows && col0 + threadIdx.x < cols)
        tile[y][threadIdx.x] = in[(row0 + y) * cols + col0 + threadIdx.x];
  }
  __syncthreads();
  for (int x = threadIdx.y; x < 32; x += 8) {
    const size_t row = row0 + threadIdx.x, col = col0 + x;
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][x];
  }
}
