// 01 naive, the other way round: one thread per element, reading down the columns of `in`.
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {
    .block = {32, 8},        // threads: x, y
    .tile = {32, 8},         // elements of `in` that a block covers: rows, cols
    .block_x_walks = kRows,  // blockIdx.x counts tiles along the rows of `in`
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  // Neighbouring lanes have neighbouring threadIdx.x: here that is the row of `in`, which is the column of `out`.
  const size_t row = blockIdx.x * blockDim.x + threadIdx.x;
  const size_t col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) {
    out[col * rows + row] = __ldg(&in[row * cols + col]);
  }
}
