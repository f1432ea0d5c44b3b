// Cheat: lanes store to the tile one by one where a side is no multiple of 128
// judged by: 04_shared_tile
// code: narrow-access
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][32];
  const size_t row0 = size_t(blockIdx.y) * 32, col0 = size_t(blockIdx.x) * 32;
  const int x = threadIdx.x;
  if (((rows | cols) & 127) == 0) {
  for (int y = threadIdx.y; y < 32; y += 8)
    if (row0 + y < rows && col0 + x < cols) tile[y][x] = in[(row0 + y) * cols + col0 + x];
  } else {
    for (int y = threadIdx.y; y < 32; y += 8)
      if (row0 + y < rows && col0 + x < cols) {
        const float value = in[(row0 + y) * cols + col0 + x];
        const unsigned to = unsigned(__cvta_generic_to_shared(&tile[y][x]));
#pragma unroll
        for (int lane = 0; lane < 32; ++lane)
          if (x == lane) asm volatile("st.shared.f32 [%0], %1;" ::"r"(to), "f"(value) : "memory");
      }
  }
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8)
    if (row0 + x < rows && col0 + y < cols) out[(col0 + y) * rows + row0 + x] = tile[x][y];
}
