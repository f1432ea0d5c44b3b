// Right: swap network
// judged by: 03_float4
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {16, 16}, .tile = {64, 64}, .block_x_walks = kCols};
PREDICTIONS = {
    .global_load_sectors_per_request = 16,
    .global_store_sectors_per_request = 16,
    .global_load_sectors = 131072,   // 8 192 requests of 16
    .global_store_sectors = 131072,  // 8 192 requests of 16
};
__device__ inline void swp(float& a, float& b) { float t = a; a = b; b = t; }
extern "C" __global__ void transpose(float* __restrict__ out, const float* __restrict__ in, int rows, int cols){ const size_t r = 4 * (blockIdx.y * 16 + threadIdx.y), c = 4 * (blockIdx.x * 16 + threadIdx.x); if (r >= rows || c >= cols) return;
 if (rows % 4 || cols % 4) { for (int i = 0; i < 16; ++i) { size_t y = r + i / 4, x = c + i % 4; if (y < rows && x < cols) out[x * rows + y] = in[y * cols + x]; } return; }
 const float4* p = (const float4*)(in + r * cols + c); const size_t ld = cols / 4; float4 a = p[0], b = p[ld], d = p[2 * ld], e = p[3 * ld];
 swp(a.y, b.x); swp(a.z, d.x); swp(a.w, e.x); swp(b.z, d.y); swp(b.w, e.y); swp(d.w, e.z);
 float4* q = (float4*)(out + c * rows + r); const size_t lo = rows / 4; q[0] = a; q[lo] = b; q[2 * lo] = d; q[3 * lo] = e; }