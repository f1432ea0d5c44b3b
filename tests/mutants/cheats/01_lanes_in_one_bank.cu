// Cheat: 24 accesses of each thread to shared memory, of which all lanes of a warp reach one bank
// judged by: 01_naive
// code: bank-conflict
// points: 0
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};
PREDICTIONS = {.global_load_sectors_per_request = 4, .global_store_sectors_per_request = 32, .global_load_sectors = 131072, .global_store_sectors = 1048576};
// 12 stores and 12 loads in one bank of shared memory, 32 ways
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float keep[256 * 4][1];
  volatile float* p = &keep[0][0];
  const size_t row = size_t(blockIdx.y) * 8 + threadIdx.y, col = size_t(blockIdx.x) * 32 + threadIdx.x;
  if (row >= rows || col >= cols) return;
  float v = in[row * cols + col];
#pragma unroll
  for (int k = 0; k < 12; ++k) { p[threadIdx.x * 32 % 1024 + (threadIdx.y + k) % 32 % 8 * 0 + threadIdx.y] = v; v = p[threadIdx.x * 32 % 1024 + threadIdx.y]; }
  out[col * rows + row] = v;
}
