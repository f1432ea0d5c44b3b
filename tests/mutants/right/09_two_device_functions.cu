// Right: two device functions
// judged by: 09_any_matrix
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {256, 1}, .tile = {64, 64}, .block_x_walks = kRows};
PREDICTIONS = {
    .global_load_sectors_per_request = 5,   // rows of `in` start anywhere
    .global_store_sectors_per_request = 4,  // rows of `out` start on a sector
};
__device__ void narrow(float* t, float* out, const float* in, long long rows, long long cols, long long op, long long ip, long long R, long long C) {
 for (int i = threadIdx.x; i < 4096; i += 256) { const int y = i >> 6, x = i & 63; if (R + y < rows && C + x < cols) t[y * 64 + ((x + y) & 63)] = in[(R + y) * ip + C + x]; }
 __syncthreads();
 for (int i = threadIdx.x; i < 4096; i += 256) { const int y = i & 63, x = i >> 6; if (R + y < rows && C + x < cols) out[(C + x) * op + R + y] = t[y * 64 + ((x + y) & 63)]; } }
__device__ void wide(float4* t, float* out, const float* in, long long rows, long long cols, long long op, long long ip, long long R, long long C) {
 const int x = threadIdx.x % 16, y = threadIdx.x / 16; const long long r = R + 4 * y, c = C + 4 * x;
 if (r < rows && c < cols) { const float* p = in + r * ip + c; const float4 a = *(const float4*)p, b = *(const float4*)(p + ip), d = *(const float4*)(p + 2 * ip), e = *(const float4*)(p + 3 * ip);
  float4* q = t + 64 * x + (y ^ (x & 7)); q[0] = {a.x, b.x, d.x, e.x}; q[16] = {a.y, b.y, d.y, e.y}; q[32] = {a.z, b.z, d.z, e.z}; q[48] = {a.w, b.w, d.w, e.w}; }
 __syncthreads();
 for (int k = 0; k < 4; ++k) { const int l = y + 16 * k; if (C + l < cols && R + 4 * x < rows) *(float4*)(out + (C + l) * op + R + 4 * x) = t[l * 16 + (x ^ (l / 4 & 7))]; } }
__device__ void go(float* out, const float* in, long long rows, long long cols, long long op, long long ip) {
 __shared__ float4 t[1024]; const long long z = blockIdx.z; in += z * rows * ip; out += z * cols * op; const long long R = blockIdx.x * 64ll, C = blockIdx.y * 64ll;
 const auto bad = [](unsigned long long v, int n) { return v % n != 0; };
 if (bad((unsigned long long)in, 16) || bad((unsigned long long)out, 16) || bad(op, 4) || bad(ip, 4) || bad(rows, 4) || bad(cols, 4)) return narrow((float*)t, out, in, rows, cols, op, ip, R, C);
 wide(t, out, in, rows, cols, op, ip, R, C); }
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) { go(out, in, rows, cols, rows, cols); }
extern "C" __global__ void transpose_u32(float* out, const float* in, int rows, int cols, int out_pitch, int in_pitch) { go(out, in, rows, cols, out_pitch, in_pitch); }