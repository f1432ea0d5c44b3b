// Right: a struct for the job, tiles of 64 × 32, pointers that walk
// judged by: 09_any_matrix
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {64, 32}, .block_x_walks = kRows};
PREDICTIONS = {.global_load_sectors_per_request = 5, .global_store_sectors_per_request = 4};
struct Job {
  float* to;
  const float* from;
  size_t rows, cols, to_step, from_step;
  __device__ bool wide() const {
    const size_t where = reinterpret_cast<size_t>(to) + reinterpret_cast<size_t>(from) * 0;
    return !((where | reinterpret_cast<size_t>(from) | to_step * 4 | from_step * 4) & 15) &&
           !((rows | cols) & 3);
  }
};
__device__ __forceinline__ void narrow(float* tile, const Job& j, size_t r0, size_t c0) {
  const int lane = threadIdx.x, warp = threadIdx.y;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float* p = j.from + (r0 + 32 * half + warp) * j.from_step + c0 + lane;
#pragma unroll
    for (int k = warp; k < 32; k += 8, p += 8 * j.from_step)
      if (r0 + 32 * half + k < j.rows && c0 + lane < j.cols) tile[half * 1024 + k * 32 + (lane ^ k)] = *p;
  }
  __syncthreads();
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float* q = j.to + (c0 + warp) * j.to_step + r0 + 32 * half + lane;
#pragma unroll
    for (int k = warp; k < 32; k += 8, q += 8 * j.to_step)
      if (c0 + k < j.cols && r0 + 32 * half + lane < j.rows) *q = tile[half * 1024 + lane * 32 + (k ^ lane)];
  }
}
__device__ __forceinline__ void wide(float4* tile, const Job& j, size_t r0, size_t c0) {
  const int t = threadIdx.y * 32 + threadIdx.x;
  if (t < 128) {  // 16 x 8 blocks of 4 x 4
    const int bx = t % 8, by = t / 8;
    const size_t r = r0 + 4 * by, c = c0 + 4 * bx;
    if (r < j.rows && c < j.cols) {
      float4 m[4];
      const float* p = j.from + r * j.from_step + c;
#pragma unroll
      for (int k = 0; k < 4; ++k, p += j.from_step) m[k] = *(const float4*)p;
      const float* f = &m[0].x;
#pragma unroll
      for (int k = 0; k < 4; ++k) tile[(4 * bx + k) * 16 + (by ^ bx)] = {f[k], f[4 + k], f[8 + k], f[12 + k]};
    }
  }
  __syncthreads();
  for (int i = t; i < 512; i += 256) {
    const int y = i >> 4, x = i & 15;
    if (c0 + y < j.cols && r0 + 4 * x < j.rows)
      *(float4*)(j.to + (c0 + y) * j.to_step + r0 + 4 * x) = tile[y * 16 + (x ^ y / 4)];
  }
}
__device__ __forceinline__ void go(Job j) {
  __shared__ alignas(16) float tile[2048];
  const size_t r0 = size_t(blockIdx.x) * 64, c0 = size_t(blockIdx.y) * 32;
  j.to += blockIdx.z * j.cols * j.to_step;
  j.from += blockIdx.z * j.rows * j.from_step;
  if (j.wide())
    wide((float4*)tile, j, r0, c0);
  else
    narrow(tile, j, r0, c0);
}
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  go({out, in, size_t(rows), size_t(cols), size_t(rows), size_t(cols)});
}
extern "C" __global__ void transpose_u32(float* out, const float* in, int rows, int cols, int out_pitch,
                                         int in_pitch) {
  go({out, in, size_t(rows), size_t(cols), size_t(out_pitch), size_t(in_pitch)});
}
