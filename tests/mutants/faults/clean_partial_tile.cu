// Right: a ragged tile of which only the filled part is read
// shape: 30x31
// code: none
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const int x = threadIdx.x, y0 = threadIdx.y;
  for (int y = y0; y < 32; y += 8) {
    if (y < rows && x < cols) tile[y][x] = in[y * cols + x];
  }
  __syncthreads();
  for (int y = y0; y < 32; y += 8) {
    if (x < rows && y < cols) out[y * rows + x] = tile[x][y];
  }
}
