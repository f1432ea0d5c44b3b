// Fault: two lanes of one warp exchange values with nothing between store and load
// shape: 32x32
// code: missing-syncwarp
// says: __syncwarp
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float line[8][32];
  line[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  out[threadIdx.y * 32 + threadIdx.x] = line[threadIdx.y][31 - threadIdx.x];  // <-- here
}
