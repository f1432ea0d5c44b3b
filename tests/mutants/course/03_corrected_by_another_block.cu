// Mutant: on large matrices a second block stores to elements of a first one, and which of the two is last is luck
// judged by: 03_float4
// fails: right
// code: global-race
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {
    .block = {32, 8},        // threads: x, y
    .tile = {8, 32},         // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,  // x counts tiles along the columns of `in`
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row >= rows || col >= cols) return;
  out[static_cast<size_t>(col) * rows + row] = in[static_cast<size_t>(row) * cols + col];
  const int other = row + rows / 2;
  if (rows >= 1024 && other < rows)
    out[static_cast<size_t>(col) * rows + other] = in[static_cast<size_t>(row) * cols + col];
}
