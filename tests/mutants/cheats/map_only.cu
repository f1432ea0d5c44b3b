// Cheat: the formula is right where it is asked, and the transposes do not use it
// judged by: 07_swizzle_formula
// code: not-exchanged
// points: 0
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {16, 16}, .tile = {64, 64}, .block_x_walks = kCols};

__device__ int swizzle(int row, int col, int row_bytes, int chunk_bytes, int element_bytes) {
  const int line = row_bytes < 128 ? row_bytes : 128, elems = chunk_bytes / element_bytes;
  return ((col / elems) ^ row / (128 / line) % (line / chunk_bytes)) * elems + col % elems;
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float token[16];
  const size_t row = 4 * (blockIdx.y * 16 + threadIdx.y), col = 4 * (blockIdx.x * 16 + threadIdx.x);
  const bool wide = rows % 4 == 0 && cols % 4 == 0, inside = row < rows && col < cols;
  float4 v[4] = {};
  if (wide && inside)
    for (int k = 0; k < 4; ++k) v[k] = *reinterpret_cast<const float4*>(&in[(row + k) * cols + col]);
  volatile float* slot = token;
  if (threadIdx.y == 0) slot[threadIdx.x] = v[0].x, v[0].x = slot[threadIdx.x];
  if (wide && inside) {
    *reinterpret_cast<float4*>(&out[(col + 0) * rows + row]) = make_float4(v[0].x, v[1].x, v[2].x, v[3].x);
    *reinterpret_cast<float4*>(&out[(col + 1) * rows + row]) = make_float4(v[0].y, v[1].y, v[2].y, v[3].y);
    *reinterpret_cast<float4*>(&out[(col + 2) * rows + row]) = make_float4(v[0].z, v[1].z, v[2].z, v[3].z);
    *reinterpret_cast<float4*>(&out[(col + 3) * rows + row]) = make_float4(v[0].w, v[1].w, v[2].w, v[3].w);
  }
  if (!wide)
    for (size_t y = row; y < row + 4 && y < rows; ++y)
      for (size_t x = col; x < col + 4 && x < cols; ++x) out[x * rows + y] = in[y * cols + x];
}

template <typename T>
__device__ void scatter(T* out, const T* in, int rows, int cols) {
  __shared__ alignas(16) T token[16];
  const size_t row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  volatile int* slot = reinterpret_cast<int*>(token);
  if (threadIdx.y == 0 && threadIdx.x < 2) slot[threadIdx.x] = 0, slot[threadIdx.x];
  for (size_t y = row0 + threadIdx.y; y < row0 + 64 && y < rows; y += 16)
    for (size_t x = col0 + threadIdx.x; x < col0 + 64 && x < cols; x += 16) out[x * rows + y] = in[y * cols + x];
}
#define TRANSPOSE(NAME, T) \
  extern "C" __global__ void NAME(T* out, const T* in, int rows, int cols) { scatter(out, in, rows, cols); }
TRANSPOSE(transpose_u8, unsigned char)
TRANSPOSE(transpose_u16, unsigned short)
TRANSPOSE(transpose_u64, double)
TRANSPOSE(transpose_u128, float4)

extern "C" __global__ void swizzle_map(int* columns, int row_bytes, int chunk_bytes, int element_bytes) {
  const int cols = row_bytes / element_bytes;
  for (int col = threadIdx.x; col < cols; col += blockDim.x)
    columns[blockIdx.x * cols + col] = swizzle(blockIdx.x, col, row_bytes, chunk_bytes, element_bytes);
}
