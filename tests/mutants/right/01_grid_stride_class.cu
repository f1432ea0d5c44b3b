// Right: a grid-stride loop over rows of the block by a class of loops
// judged by: 01_naive
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {64, 4}, .tile = {16, 64}, .block_x_walks = kCols};
template <int kStep>
class Strided {
  int end_;

 public:
  class Iterator {
    int at_;

   public:
    constexpr __device__ explicit Iterator(int at) : at_{at} {}
    __device__ int operator*() const { return at_; }
    __device__ void operator++() { at_ += kStep; }
    __device__ bool operator!=(const Iterator& o) const { return at_ < o.at_; }
  };
  explicit __device__ Strided(int end) : end_(end) {}
  __device__ Iterator begin() const { return Iterator(threadIdx.y); }
  __device__ Iterator end() const { return Iterator(end_); }
};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t col = size_t(blockIdx.x) * 64 + threadIdx.x;
  for (int y : Strided<4>(16)) {
    const size_t row = size_t(blockIdx.y) * 16 + y;
    if (row < rows and col < cols) out[col * rows + row] = in[row * cols + col];
  }
}
