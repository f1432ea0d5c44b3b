// Right: 8 by 32 threads, elements by an iterator that moves along both matrices
// judged by: 02_coalescing
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {8, 32}, .tile = {64, 8}, .block_x_walks = kRows};
struct Walker {
  const float* from;
  float* to;
  size_t step_from, step_to;
  __device__ Walker& operator+=(int n) {
    from += n * step_from, to += n * step_to;
    return *this;
  }
  __device__ void move() const { *to = *from; }
};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  size_t row = size_t(blockIdx.x) * 64 + threadIdx.y;
  const size_t col = size_t(blockIdx.y) * 8 + threadIdx.x;
  if (col >= cols) return;
  Walker w{in + row * cols + col, out + col * rows + row, size_t(cols), 1};
  for (int k = 0; k < 2; ++k, row += 32, w += 32)
    if (row < rows) w.move();
}
