// Right: lanes of one warp exchange through shared memory, in order
// shape: 32x32
// code: none
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[8][32][4];
  const int x = threadIdx.x, y0 = threadIdx.y;
  for (int y = y0, k = 0; y < 32; y += 8, ++k) tile[y0][31 - x][k] = in[x * 32 + y];
  __syncwarp();
  for (int y = y0, k = 0; y < 32; y += 8, ++k) out[y * 32 + x] = tile[y0][31 - x][k];
}
