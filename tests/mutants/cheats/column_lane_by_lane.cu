// Cheat: the plain tile, its column read by 32 requests of one lane each
// judged by: 05_padding
// code: bank-conflict|repeated-access|many-instructions
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 1,
    .shared_store_wavefronts_per_request = 1,
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][32];
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  for (int y = threadIdx.y; y < 32; y += 8) {
    const size_t row = row0 + y, col = col0 + threadIdx.x;
    if (row < rows && col < cols) tile[y][threadIdx.x] = in[row * cols + col];
  }
  __syncthreads();
  for (int x = threadIdx.y; x < 32; x += 8) {
    const size_t row = row0 + threadIdx.x, col = col0 + x;
    if (row >= rows || col >= cols) continue;
    float mine = 0;
    for (int lane = 0; lane < 32; ++lane)
      if (threadIdx.x == lane)
        asm volatile("ld.shared.f32 %0, [%1];"
                     : "=f"(mine)
                     : "r"(unsigned(__cvta_generic_to_shared(&tile[threadIdx.x][x]))));
    out[col * rows + row] = mine;
  }
}
