#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  float sum = 0;
#pragma unroll 1000000
  for (int i = 0; i < 1000000; ++i) sum += __ldg(&in[(i * 7919 + threadIdx.x) % rows]) * i;
  out[0] = sum;
}
