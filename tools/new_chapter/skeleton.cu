// @NUMBER@ @WORDS@: a template. One element per thread.
#include "common/kernel/lab.cuh"

// TODO (2 lines): a block of 32 × 8 threads covers 64 columns when each thread takes two elements.
LAUNCH_SHAPE = {
    .block = {32, 8},        // threads: x, y
    .tile = {8, 32},         // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,  // blockIdx.x counts tiles along the columns of `in`
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  // 64 bits, so that row * cols is right for matrices of more than 2^31 elements.
  const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  const size_t col = blockIdx.x * blockDim.x + threadIdx.x;
  // TODO (about 10 lines): two neighbours of a row in one access of 8 bytes, where the rows allow it.
  if (row < rows && col < cols) {
    out[col * rows + row] = __ldg(&in[row * cols + col]);
  }
}
