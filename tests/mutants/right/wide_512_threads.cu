// Right: 512 threads take 128 rows and 64 columns; the tile is dynamic
// judged by: 08_vectorized_swizzle
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {16, 32}, .tile = {128, 64}, .block_x_walks = kCols, .dynamic_shared_bytes = 32768};

// Four elements of a row: in one access where every row starts on 16 bytes.
__device__ float4 load4(const float* in, size_t row, size_t col, int rows, int cols) {
  float4 v = make_float4(0, 0, 0, 0);
  if (row >= rows || col >= cols) return v;
  const float* p = &in[row * cols + col];
  if (cols % 4 == 0) return *reinterpret_cast<const float4*>(p);
  v.x = p[0];
  if (col + 1 < cols) v.y = p[1];
  if (col + 2 < cols) v.z = p[2];
  if (col + 3 < cols) v.w = p[3];
  return v;
}
__device__ void store4(float* out, size_t row, size_t col, int rows, int cols, float4 v) {
  if (row >= rows || col >= cols) return;
  float* p = &out[row * cols + col];
  if (cols % 4 == 0) {
    *reinterpret_cast<float4*>(p) = v;
    return;
  }
  p[0] = v.x;
  if (col + 1 < cols) p[1] = v.y;
  if (col + 2 < cols) p[2] = v.z;
  if (col + 3 < cols) p[3] = v.w;
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  extern __shared__ float4 tile[];
  const size_t row0 = blockIdx.y * 128, col0 = blockIdx.x * 64;
  const int t = threadIdx.y * 16 + threadIdx.x;
  for (int i = t; i < 2048; i += 512) {
    const int r = i / 16, x = i % 16;
    tile[r * 16 + (x ^ r / 4 % 8)] = load4(in, row0 + r, col0 + 4 * x, rows, cols);
  }
  __syncthreads();
  const int x = t % 32, y = t / 32;
  float4 v[4];
  for (int k = 0; k < 4; ++k) v[k] = tile[(4 * x + k) * 16 + (y ^ x % 8)];
  store4(out, col0 + 4 * y + 0, row0 + 4 * x, cols, rows, make_float4(v[0].x, v[1].x, v[2].x, v[3].x));
  store4(out, col0 + 4 * y + 1, row0 + 4 * x, cols, rows, make_float4(v[0].y, v[1].y, v[2].y, v[3].y));
  store4(out, col0 + 4 * y + 2, row0 + 4 * x, cols, rows, make_float4(v[0].z, v[1].z, v[2].z, v[3].z));
  store4(out, col0 + 4 * y + 3, row0 + 4 * x, cols, rows, make_float4(v[0].w, v[1].w, v[2].w, v[3].w));
}
