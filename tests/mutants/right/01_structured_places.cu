// Right: a place by structured bindings, the guard is an operator
// judged by: 01_naive
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};
struct At {
  size_t row, col;
  __device__ bool operator<(const At& end) const { return row < end.row && col < end.col; }
};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const At here{size_t(blockIdx.y) * blockDim.y + threadIdx.y, size_t(blockIdx.x) * blockDim.x + threadIdx.x};
  const auto& [r, c] = here;
  if (here < At{size_t(rows), size_t(cols)}) out[c * rows + r] = in[r * cols + c];
}
