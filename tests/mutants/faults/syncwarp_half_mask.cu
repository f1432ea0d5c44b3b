// Fault: __syncwarp of the lower half, while both halves exchange
// shape: 32x32
// code: missing-syncwarp|warp-sync
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float line[8][32];
  line[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  if (threadIdx.x < 16) __syncwarp(0x0000ffffu);
  out[threadIdx.y * 32 + threadIdx.x] = line[threadIdx.y][31 - threadIdx.x];  // <-- here
}
