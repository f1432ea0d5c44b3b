// Right: many lanes add to one word: atomics do not race
// shape: 32x32
// code: none
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ unsigned int count;
  const int x = threadIdx.x, y0 = threadIdx.y;
  if (x + y0 == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1u);
  __syncthreads();
  for (int y = y0; y < 32; y += 8) reinterpret_cast<int*>(out)[y * 32 + x] = reinterpret_cast<const int*>(in)[x * 32 + y] + int(count - 256);
}
