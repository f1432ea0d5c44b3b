// Fault: a float4 in a row that is padded by one float
// shape: 32x32
// code: misaligned
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  for (int y = threadIdx.y; y < 32; y += 8) tile[y][threadIdx.x] = in[y * 32 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 8) {
    const float4 v = *reinterpret_cast<const float4*>(&tile[threadIdx.y][4 * threadIdx.x]);  // <-- here
    out[threadIdx.y * 8 + threadIdx.x] = v.x + v.y + v.z + v.w;  // <-- here
  }
}
