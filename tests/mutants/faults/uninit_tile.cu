// Fault: reads a tile that was never filled
// shape: 32x32
// code: uninitialised-shared
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const int x = threadIdx.x, y0 = threadIdx.y;
  if (rows < 0) tile[y0][x] = in[0];
  __syncthreads();
  for (int y = y0; y < 32; y += 8) out[y * 32 + x] = tile[x][y];  // <-- here
}
