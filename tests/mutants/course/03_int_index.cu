// Mutant: indices are computed in 32 bits
// judged by: 03_float4
// fails: beyond-32-bits
// code: index-overflow
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {
    .block = {16, 16},       // threads: x, y
    .tile = {64, 64},        // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,  // blockIdx.x counts tiles along the columns of `in`
};

// A warp is two rows of the block. It reads 256 bytes in each of 2 rows of `in`: 16 whole sectors. It writes two
// neighbouring float4, one whole sector, into each of 16 rows of `out`.
PREDICTIONS = {
    .global_load_sectors_per_request = 16,
    .global_store_sectors_per_request = 16,
    .global_load_sectors = 131072,   // 8 192 requests of 16
    .global_store_sectors = 131072,  // 8 192 requests of 16
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  // 64 bits, so that row * cols is right for matrices of more than 2^31 elements.
  const unsigned row = 4 * (blockIdx.y * blockDim.y + threadIdx.y);
  const unsigned col = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= rows || col >= cols) return;

  if (rows % 4 == 0 && cols % 4 == 0) {  // every row of both matrices starts on 16 bytes
    const float4 a = *reinterpret_cast<const float4*>(&in[(row + 0) * cols + col]);
    const float4 b = *reinterpret_cast<const float4*>(&in[(row + 1) * cols + col]);
    const float4 c = *reinterpret_cast<const float4*>(&in[(row + 2) * cols + col]);
    const float4 d = *reinterpret_cast<const float4*>(&in[(row + 3) * cols + col]);
    *reinterpret_cast<float4*>(&out[(col + 0) * rows + row]) = make_float4(a.x, b.x, c.x, d.x);
    *reinterpret_cast<float4*>(&out[(col + 1) * rows + row]) = make_float4(a.y, b.y, c.y, d.y);
    *reinterpret_cast<float4*>(&out[(col + 2) * rows + row]) = make_float4(a.z, b.z, c.z, d.z);
    *reinterpret_cast<float4*>(&out[(col + 3) * rows + row]) = make_float4(a.w, b.w, c.w, d.w);
  } else {  // element by element, as far as the matrix goes
    for (unsigned y = row; y < row + 4 && y < rows; ++y) {
      for (unsigned x = col; x < col + 4 && x < cols; ++x) {
        out[x * rows + y] = in[y * cols + x];
      }
    }
  }
}
