// Right: grid z loop and struct matrix
// judged by: 09_any_matrix
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {128, 1}, .tile = {64, 64}, .block_x_walks = kRows};
PREDICTIONS = {
    .global_load_sectors_per_request = 5,   // rows of `in` start anywhere
    .global_store_sectors_per_request = 4,  // rows of `out` start on a sector
};
struct Mat { const float* p; size_t ld; __device__ const float* row(size_t r) const { return p + r * ld; } __device__ bool aligned() const { return (reinterpret_cast<uintptr_t>(p) & 15) == 0 && (ld & 3) == 0; } };
__device__ void go(float* out, const float* in, size_t rows, size_t cols, size_t op, size_t ip) {
 alignas(16) __shared__ float s[64 * 64]; Mat A{in + blockIdx.z * rows * ip, ip}, B{out + blockIdx.z * cols * op, op}; const size_t R = blockIdx.x * size_t(64), C = blockIdx.y * size_t(64);
 const unsigned t = threadIdx.x;
 if (A.aligned() && B.aligned() && !((rows | cols) & 3)) {
  for (unsigned i = t; i < 256; i += 128) { const unsigned x = i % 16, y = i / 16; if (R + 4 * y >= rows || C + 4 * x >= cols) continue; float4 m[4];
   #pragma unroll
   for (int k = 0; k < 4; ++k) m[k] = *reinterpret_cast<const float4*>(A.row(R + 4 * y + k) + C + 4 * x);
   float4* d = reinterpret_cast<float4*>(s) + (y ^ (x & 7));
   d[(4 * x + 0) * 16] = make_float4(m[0].x, m[1].x, m[2].x, m[3].x); d[(4 * x + 1) * 16] = make_float4(m[0].y, m[1].y, m[2].y, m[3].y);
   d[(4 * x + 2) * 16] = make_float4(m[0].z, m[1].z, m[2].z, m[3].z); d[(4 * x + 3) * 16] = make_float4(m[0].w, m[1].w, m[2].w, m[3].w); }
  __syncthreads();
  for (unsigned i = t; i < 1024; i += 128) { const unsigned x = i % 16, y = i / 16; if (C + y < cols && R + 4 * x < rows) *reinterpret_cast<float4*>(const_cast<float*>(B.row(C + y)) + R + 4 * x) = reinterpret_cast<float4*>(s)[y * 16 + (x ^ (y >> 2 & 7))]; }
 } else {
  for (unsigned i = t; i < 4096; i += 128) { const unsigned x = i % 64, y = i / 64; if (R + y < rows && C + x < cols) s[y * 64 + (x ^ (y & 31))] = A.row(R + y)[C + x]; }
  __syncthreads();
  for (unsigned i = t; i < 4096; i += 128) { const unsigned y = i % 64, x = i / 64; if (R + y < rows && C + x < cols) const_cast<float*>(B.row(C + x))[R + y] = s[y * 64 + (x ^ (y & 31))]; }
 } }
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) { go(out, in, rows, cols, rows, cols); }
extern "C" __global__ void transpose_u32(float* out, const float* in, int rows, int cols, int out_pitch, int in_pitch) { go(out, in, rows, cols, out_pitch, in_pitch); }