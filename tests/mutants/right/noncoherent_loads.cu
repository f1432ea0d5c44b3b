// Right: ld.global.nc with no place in L1, st.global.cs, loops that stay loops
// judged by: 04_shared_tile, 05_padding
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t r0 = size_t(blockIdx.y) * 32, c0 = size_t(blockIdx.x) * 32;
#pragma unroll 1
  for (int y = threadIdx.y; y < 32; y += 8)
    if (r0 + y < rows && c0 + threadIdx.x < cols) {
      float v;
      asm volatile("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(v) : "l"(in + (r0 + y) * cols + c0 + threadIdx.x));
      tile[y][threadIdx.x] = v;
    }
  __syncthreads();
#pragma unroll 1
  for (int x = threadIdx.y; x < 32; x += 8)
    if (r0 + threadIdx.x < rows && c0 + x < cols)
      asm volatile("st.global.cs.f32 [%0], %1;" ::"l"(out + (c0 + x) * rows + r0 + threadIdx.x), "f"(tile[threadIdx.x][x]) : "memory");
}
