// Right: lanes that write the same value to one word do not race
// shape: 32x32
// code: none
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ int mark;
  mark = rows;
  __syncthreads();
  const int x = threadIdx.x, y0 = threadIdx.y;
  for (int y = y0; y < 32; y += 8) reinterpret_cast<int*>(out)[y * 32 + x] = reinterpret_cast<const int*>(in)[x * 32 + y] + int(mark - rows);
}
