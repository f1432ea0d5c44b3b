// Right: nested lambda and unrolled store
// judged by: 08_vectorized_swizzle
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {256, 1}, .tile = {64, 64}, .block_x_walks = kRows};

#define AT(r, c) tile[(r) * 16 + ((c) ^ (((r) >> 2) & 7))]
extern "C" __global__ void transpose(float* __restrict__ out, const float* __restrict__ in, int rows, int cols){ __shared__ float4 tile[64 * 16]; const int x = threadIdx.x & 15, y = threadIdx.x >> 4; const size_t R = size_t(blockIdx.x) * 64, C = size_t(blockIdx.y) * 64;
 const bool wide = ((rows | cols) & 3) == 0;
 float4 v[4];
 for (int i = 0; i < 4; ++i) { const size_t r = R + 4 * y + i, c = C + 4 * x; v[i] = {0, 0, 0, 0}; if (r < rows && c < cols) {
   if (cols % 4 == 0) v[i] = *(const float4*)(in + r * cols + c);
   else { float* f = &v[i].x; const size_t n = min(size_t(4), cols - c); v[i].x = in[r * cols + c]; if (n > 1) v[i].y = in[r * cols + c + 1]; if (n > 2) v[i].z = in[r * cols + c + 2]; if (n > 3) v[i].w = in[r * cols + c + 3]; (void)f; } } }
 AT(4 * x, y) = {v[0].x, v[1].x, v[2].x, v[3].x}; AT(4 * x + 1, y) = {v[0].y, v[1].y, v[2].y, v[3].y};
 AT(4 * x + 2, y) = {v[0].z, v[1].z, v[2].z, v[3].z}; AT(4 * x + 3, y) = {v[0].w, v[1].w, v[2].w, v[3].w};
 __syncthreads(); (void)wide;
 for (int r = y; r < 64; r += 16) { const size_t orow = C + r, oc = R + 4 * x; if (orow >= cols || oc >= rows) continue; const float4 w = AT(r, x); float* p = out + orow * rows + oc;
   if (rows % 4 == 0) { *(float4*)p = w; continue; } p[0] = w.x; if (oc + 1 < rows) p[1] = w.y; if (oc + 2 < rows) p[2] = w.z; if (oc + 3 < rows) p[3] = w.w; } }