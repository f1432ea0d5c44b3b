// Cheat: computes for nothing, some 300 instructions per element
// judged by: 05_padding
// code: many-instructions
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 1,
    .shared_store_wavefronts_per_request = 1,
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  for (int y = threadIdx.y; y < 32; y += 8) {
    const bool inside = row0 + y < rows && col0 + threadIdx.x < cols;
    int v = inside ? __float_as_int(in[(row0 + y) * cols + col0 + threadIdx.x]) : 0;
    for (int i = 0; i < 256; ++i) asm volatile("not.b32 %0, %0;" : "+r"(v));
    tile[y][threadIdx.x] = __int_as_float(v);
  }
  __syncthreads();
  for (int x = threadIdx.y; x < 32; x += 8)
    if (row0 + threadIdx.x < rows && col0 + x < cols)
      out[(col0 + x) * rows + row0 + threadIdx.x] = tile[threadIdx.x][x];
}
