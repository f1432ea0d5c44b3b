// Fault: the tile is filled again while others still read it
// shape: 32x32
// code: shared-race|missing-syncwarp
// says: __syncthreads
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const int x = threadIdx.x, y0 = threadIdx.y;
  for (int pass = 0; pass < 2; ++pass) {
    for (int y = y0; y < 32; y += 8) tile[y][x] = in[y * 32 + x];
    __syncthreads();
    for (int y = y0; y < 32; y += 8) out[y * 32 + x] = tile[x][y] + pass;  // <-- here
  }
}
