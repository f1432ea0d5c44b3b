// Fault: only the first block fills the tile
// shape: 32x64
// code: uninitialised-shared
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float line[32];
  if (blockIdx.x == 0 && threadIdx.y == 0) line[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.y * 32 + threadIdx.x] = line[threadIdx.x];  // <-- here
}
