// Right: a union of a float4 and four floats, a tile of 32 rows and 128 columns, a permutation whose period is a variable
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {256, 1}, .tile = {32, 128}, .block_x_walks = kRows};

union Four {
  float4 all;
  float one[4];
};

__device__ Four get(const float* in, size_t row, size_t col, size_t rows, size_t cols) {
  Four v{make_float4(0, 0, 0, 0)};
  if (row < rows && cols % 4 == 0) {
    if (col < cols) v.all = *reinterpret_cast<const float4*>(in + row * cols + col);
  } else if (row < rows) {
    for (int k = 0; k < 4; ++k)
      if (col + k < cols) v.one[k] = in[row * cols + col + k];
  }
  return v;
}

__device__ void put(float* out, size_t row, size_t col, size_t rows, size_t cols, Four v) {
  if (row >= rows || col >= cols) return;
  if (cols % 4 == 0) {
    *reinterpret_cast<float4*>(out + row * cols + col) = v.all;
    return;
  }
  for (int k = 0; k < 4; ++k)
    if (col + k < cols) out[row * cols + col + k] = v.one[k];
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 tile[128 * 8];  // rows of `out`
  const int period = blockDim.x / 32, x = threadIdx.x % 32, y = threadIdx.x / 32;
  const size_t row0 = size_t(blockIdx.x) * 32, col0 = size_t(blockIdx.y) * 128;
  Four line[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) line[k] = get(in, row0 + 4 * y + k, col0 + 4 * x, rows, cols);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const Four column{make_float4(line[0].one[k], line[1].one[k], line[2].one[k], line[3].one[k])};
    tile[(4 * x + k) * 8 + (y ^ x % period)] = column.all;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 128 * 8; i += blockDim.x) {
    const int r = i / 8, p = i % 8;
    put(out, col0 + r, row0 + 4 * p, cols, rows, Four{tile[r * 8 + (p ^ r / 4 % period)]});
  }
}
