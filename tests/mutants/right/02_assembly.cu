// Right: loads and stores in assembly, a line of 256 threads, blocks along the rows
// judged by: 02_coalescing
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {256, 1}, .tile = {32, 8}, .block_x_walks = kRows};
PREDICTIONS = {.global_load_sectors_per_request = 4, .global_store_sectors_per_request = 8, .global_load_sectors = 131072, .global_store_sectors = 262144};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const long long r = blockIdx.x * 32ll + threadIdx.x / 8, c = blockIdx.y * 8ll + threadIdx.x % 8;
  if (r >= rows || c >= cols) return;
  float v;
  asm volatile("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(v) : "l"(in + r * cols + c));
  asm volatile("st.global.cs.f32 [%0], %1;" ::"l"(out + c * rows + r), "f"(v) : "memory");
}
