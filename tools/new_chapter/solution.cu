// @NUMBER@ @WORDS@: a template. Two elements per thread: each load takes 8 bytes.
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {
    .block = {32, 8},        // threads: x, y
    .tile = {8, 64},         // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,  // blockIdx.x counts tiles along the columns of `in`
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  // 64 bits, so that row * cols is right for matrices of more than 2^31 elements.
  const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  const size_t col = 2 * (blockIdx.x * size_t{blockDim.x} + threadIdx.x);
  if (row >= rows || col >= cols) return;
  const float* from = &in[row * cols + col];
  const bool two = col + 1 < cols;
  float2 pair = {};
  if (cols % 2 == 0) {  // then every row starts on 8 bytes
    pair = __ldg(reinterpret_cast<const float2*>(from));
  } else {
    pair.x = __ldg(from);
    if (two) pair.y = __ldg(from + 1);
  }
  out[col * rows + row] = pair.x;
  if (two) out[(col + 1) * rows + row] = pair.y;
}
