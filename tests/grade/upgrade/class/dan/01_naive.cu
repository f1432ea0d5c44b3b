// 01 naive: one thread per element, reading along the rows of `in`.
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {
    .block = {32, 8},        // threads: x, y
    .tile = {8, 32},         // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,  // blockIdx.x counts tiles along the columns of `in`
};

// TODO (4 numbers): before you run, think of one warp: 32 threads with neighbouring threadIdx.x. How many 32-byte
// sectors does it touch when it reads, and when it writes? Then for all of a matrix of 1024 × 1024 floats.
PREDICTIONS = {
    .global_load_sectors_per_request = 0,
    .global_store_sectors_per_request = 0,
    .global_load_sectors = 0,
    .global_store_sectors = 0,
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  // 64 bits, so that row * cols is right for matrices of more than 2^31 elements.
  const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  const size_t col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows && col < cols) {  // the grid may reach past the matrix
    // TODO (1 line): element (row, col) of `in` goes to (col, row) of `out`. Both are row-major: a row of `in` has `cols`
    // elements, a row of `out` has `rows`. Read with __ldg(&in[...]): nobody writes `in` while the kernel runs.
  }
}
