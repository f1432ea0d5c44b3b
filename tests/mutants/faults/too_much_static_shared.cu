// Fault: a static tile of 64 KiB
// shape: 64x64
// code: too-much-shared|invalid-launch
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[16384];
  const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  const size_t col = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.y * 32 + threadIdx.x] = in[0];
  __syncthreads();
  if (row < rows && col < cols) out[col * rows + row] = tile[255 - (threadIdx.y * 32 + threadIdx.x)];
}
