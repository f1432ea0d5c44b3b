// Right: two halves of the block, each with its own barrier
// shape: 32x32
// code: none
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[2][32][33];
  const int x = threadIdx.x, half = threadIdx.y / 4;
  for (int y = threadIdx.y % 4; y < 32; y += 4) tile[half][y][x] = in[y * 32 + x];
  if (half == 0) {
    asm volatile("bar.sync 1, 128;" ::: "memory");
  } else {
    asm volatile("bar.sync 2, 128;" ::: "memory");
  }
  for (int y = threadIdx.y; y < 32; y += 8) out[y * 32 + x] = tile[half][x][y];
}
