// Right: powers of two as shifts and masks from __ffs and popcounts; the tile is a line of bytes
// judged by: 07_swizzle_formula
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {128, 1}, .tile = {32, 16}, .block_x_walks = kCols};

__device__ __forceinline__ unsigned lg(unsigned v) { return __popc(v - 1); }

__device__ __forceinline__ unsigned swizzle(unsigned row, unsigned col, unsigned row_bytes, unsigned chunk_bytes, unsigned element_bytes) {
  const unsigned line = min(row_bytes, 128u);
  const unsigned down = 7 - lg(line), chunks = lg(line) - lg(chunk_bytes), inside = lg(chunk_bytes) - lg(element_bytes);
  return col ^ ((row >> down & ((1u << chunks) - 1)) << inside);
}

template <class T> __device__ void tile_of(T* out, const T* in, size_t rows, size_t cols) {
  __shared__ __align__(16) unsigned char bytes[32 * 16 * sizeof(T)];
  T* const tile = reinterpret_cast<T*>(bytes);
  constexpr unsigned kChunk = sizeof(T) > 4 ? sizeof(T) : 4;
  const size_t r0 = blockIdx.y * size_t(32), c0 = blockIdx.x * size_t(16);
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned i = threadIdx.x + 128 * k, y = i >> 4, x = i & 15;
    if (r0 + y < rows && c0 + x < cols) tile[y << 4 | swizzle(y, x, 16 * sizeof(T), kChunk, sizeof(T))] = in[(r0 + y) * cols + c0 + x];
  }
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned i = threadIdx.x + 128 * k, y = i & 31, x = i >> 5;
    if (r0 + y < rows && c0 + x < cols) out[(c0 + x) * rows + r0 + y] = tile[y << 4 | swizzle(y, x, 16 * sizeof(T), kChunk, sizeof(T))];
  }
}

extern "C" __global__ void transpose(float* o, const float* i, int r, int c) { tile_of(o, i, r, c); }
extern "C" __global__ void transpose_u8(unsigned char* o, const unsigned char* i, int r, int c) { tile_of(o, i, r, c); }
extern "C" __global__ void transpose_u16(unsigned short* o, const unsigned short* i, int r, int c) { tile_of(o, i, r, c); }
extern "C" __global__ void transpose_u64(unsigned long long* o, const unsigned long long* i, int r, int c) { tile_of(o, i, r, c); }
extern "C" __global__ void transpose_u128(uint4* o, const uint4* i, int r, int c) { tile_of(o, i, r, c); }
extern "C" __global__ void swizzle_map(int* columns, int row_bytes, int chunk_bytes, int element_bytes) {
  const unsigned n = row_bytes / element_bytes;
  for (unsigned c = threadIdx.x; c < n; c += blockDim.x) columns[size_t(blockIdx.x) * n + c] = swizzle(blockIdx.x, c, row_bytes, chunk_bytes, element_bytes);
}
