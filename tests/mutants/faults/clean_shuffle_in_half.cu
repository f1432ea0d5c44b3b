// Right: the lower half of each warp shuffles among itself, with the mask that says so
// shape: 32x32
// code: none
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const int x = threadIdx.x, y0 = threadIdx.y;
  for (int y = y0; y < 32; y += 8) {
    float v = in[x * 32 + y];
    if (x < 16) {
      v = __shfl_xor_sync(0x0000ffffu, v, 1);
      v = __shfl_xor_sync(0x0000ffffu, v, 1);
    }
    out[y * 32 + x] = v;
  }
}
