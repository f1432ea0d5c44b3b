#include "common/kernel/lab.cuh"
__device__ char large0[1ull << 32];
__device__ char large1[1ull << 32];
__device__ char large2[1ull << 32];
__device__ char large3[1ull << 32];
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  large0[rows] = in[0];
  large1[rows] = in[0];
  large2[rows] = in[0];
  large3[rows] = in[0];
  out[0] = large0[cols];
}
