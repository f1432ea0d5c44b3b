// Right: loops of goto and do-while, the second one backwards
// judged by: 05_padding
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 32; int y = threadIdx.y; const float* p = in + (row0 + y) * cols + col0 + threadIdx.x;
again:
  if (row0 + y < rows && col0 + threadIdx.x < cols) tile[y][threadIdx.x] = *p;
  p += 8ull * cols; y += 8; if (y < 32) goto again;
  __syncthreads();
  y = 24 + threadIdx.y;
  do { if (row0 + threadIdx.x < rows && col0 + y < cols) out[(col0 + y) * rows + row0 + threadIdx.x] = tile[threadIdx.x][y]; y -= 8; } while (y >= 0);
}
