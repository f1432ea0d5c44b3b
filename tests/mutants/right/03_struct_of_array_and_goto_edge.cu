// Right: struct of array and goto edge
// judged by: 03_float4
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {16, 16}, .tile = {64, 64}, .block_x_walks = kCols};
PREDICTIONS = {
    .global_load_sectors_per_request = 16,
    .global_store_sectors_per_request = 16,
    .global_load_sectors = 131072,   // 8 192 requests of 16
    .global_store_sectors = 131072,  // 8 192 requests of 16
};
__device__ __noinline__ void edge(float* out, const float* in, int rows, int cols, int r, int c) {
 for (int y = r; y < min(r + 4, rows); y++) for (int x = c; x < min(c + 4, cols); x++) out[size_t(x) * rows + y] = in[size_t(y) * cols + x]; }
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols){ const int r = (blockIdx.y * 16 + threadIdx.y) * 4, c = (blockIdx.x * 16 + threadIdx.x) * 4; if (r >= rows || c >= cols) return;
 if ((rows | cols) & 3) { edge(out, in, rows, cols, r, c); return; }
 float4 v[4];
 #pragma unroll
 for (int i = 0; i < 4; ++i) v[i] = __ldg(reinterpret_cast<const float4*>(in + size_t(r + i) * cols + c));
 const float* f = &v[0].x;
 #pragma unroll
 for (int i = 0; i < 4; ++i) { float4 w; w.x = (&v[0].x)[i]; w.y = (&v[1].x)[i]; w.z = (&v[2].x)[i]; w.w = (&v[3].x)[i]; *reinterpret_cast<float4*>(out + size_t(c + i) * rows + r) = w; } (void)f; }