// Mutant: takes elements by twos and leaves out the one at the end of an odd row
// judged by: @NAME@
// fails: right
// code: never-written
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {
    .block = {32, 8},        // threads: x, y
    .tile = {8, 64},         // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,  // blockIdx.x counts tiles along the columns of `in`
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  const size_t col = 2 * (blockIdx.x * size_t{blockDim.x} + threadIdx.x);
  if (row >= rows || col + 1 >= cols) return;
  const float* from = &in[row * cols + col];
  out[col * rows + row] = __ldg(from);
  out[(col + 1) * rows + row] = __ldg(from + 1);
}
