// Right: chapter 07 with shifts and masks, and a tile that is stored turned
// judged by: 07_swizzle_formula
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 16}, .block_x_walks = kCols};

// Bits of the address: those of the row that stand above one line of 128 bytes go into the number of the chunk.
__device__ int swizzle(int row, int col, int row_bytes, int chunk_bytes, int element_bytes) {
  const int line = row_bytes < 128 ? row_bytes : 128;
  const int mask = line / chunk_bytes - 1;
  const int chunk = col * element_bytes / chunk_bytes, inside = col * element_bytes % chunk_bytes;
  const int phase = (row * line >> 7) & mask;
  return ((chunk ^ phase) * chunk_bytes + inside) / element_bytes;
}

template <typename T>
__device__ void turn(T* out, const T* in, int rows, int cols) {
  __shared__ T tile[32][16];
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 16;
  const int t = threadIdx.y * 32 + threadIdx.x;
  const auto at = [](int y, int x) -> T& {
    return tile[y][swizzle(y, x, 16 * sizeof(T), sizeof(T) < 4 ? 4 : sizeof(T), sizeof(T))];
  };
#pragma unroll
  for (int i = 0; i < 512; i += 256) {
    const size_t row = row0 + (i + t) / 16, col = col0 + t % 16;
    if (row < rows && col < cols) at((i + t) / 16, t % 16) = in[row * cols + col];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 512; i += 256) {
    const size_t row = row0 + t % 32, col = col0 + (i + t) / 32;
    if (row < rows && col < cols) out[col * rows + row] = at(t % 32, (i + t) / 32);
  }
}
#define TRANSPOSE(NAME, T) \
  extern "C" __global__ void NAME(T* out, const T* in, int rows, int cols) { turn(out, in, rows, cols); }
TRANSPOSE(transpose, float)
TRANSPOSE(transpose_u8, unsigned char)
TRANSPOSE(transpose_u16, unsigned short)
TRANSPOSE(transpose_u64, double)
TRANSPOSE(transpose_u128, float4)

extern "C" __global__ void swizzle_map(int* columns, int row_bytes, int chunk_bytes, int element_bytes) {
  const int cols = row_bytes / element_bytes;
  for (int col = threadIdx.x; col < cols; col += blockDim.x)
    columns[blockIdx.x * cols + col] = swizzle(blockIdx.x, col, row_bytes, chunk_bytes, element_bytes);
}
