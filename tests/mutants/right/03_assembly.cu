// Right: loads and stores in PTX, streaming
// judged by: 03_float4
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {8, 16}, .tile = {64, 32}, .block_x_walks = kRows};
PREDICTIONS = {.global_load_sectors_per_request = 16, .global_store_sectors_per_request = 16, .global_load_sectors = 131072, .global_store_sectors = 131072};
__device__ float4 LOAD(const float* p) {
  float4 v;
  asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p));
  return v;
}
__device__ void STORE(float* p, float4 v) {
  asm volatile("st.global.cs.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(p), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory");
}
__device__ void turn(float* out, const float* in, size_t row, size_t col, int rows, int cols) {
  if (row >= rows || col >= cols) return;
  if (rows % 4 == 0 && cols % 4 == 0) {
    const float4 a = LOAD(&in[row * cols + col]), b = LOAD(&in[(row + 1) * cols + col]);
    const float4 c = LOAD(&in[(row + 2) * cols + col]), d = LOAD(&in[(row + 3) * cols + col]);
    STORE(&out[(col + 0) * rows + row], make_float4(a.x, b.x, c.x, d.x));
    STORE(&out[(col + 1) * rows + row], make_float4(a.y, b.y, c.y, d.y));
    STORE(&out[(col + 2) * rows + row], make_float4(a.z, b.z, c.z, d.z));
    STORE(&out[(col + 3) * rows + row], make_float4(a.w, b.w, c.w, d.w));
    return;
  }
#pragma unroll 1
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x)
      if (row + y < rows && col + x < cols) out[(col + x) * rows + row + y] = in[(row + y) * cols + col + x];
}
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  turn(out, in, 4 * (blockIdx.x * size_t(16) + threadIdx.y), 4 * (blockIdx.y * size_t(8) + threadIdx.x), rows, cols);
}
