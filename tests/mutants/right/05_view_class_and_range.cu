// Right: a view class with constructor and operators; rows of a warp as an own range of iterators
// judged by: 05_padding
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

template <typename T>
class MatrixView {
 public:
  __device__ MatrixView(T* data, int rows, int cols) : data_(data), rows_(rows), cols_(cols) {}
  __device__ T& operator()(size_t r, size_t c) const { return data_[r * cols_ + c]; }
  __device__ bool contains(size_t r, size_t c) const { return r < rows_ && c < cols_; }

 private:
  T* data_;
  size_t rows_, cols_;
};

struct Every {
  struct Iterator {
    int at, step;
    __device__ int operator*() const { return at; }
    __device__ Iterator& operator++() {
      at += step;
      return *this;
    }
    __device__ bool operator!=(const Iterator& other) const { return at < other.at; }
  };
  int from, to, step;
  __device__ Iterator begin() const { return {from, step}; }
  __device__ Iterator end() const { return {to, step}; }
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  constexpr int kSide = 32;
  __shared__ float tile[kSide][kSide + 1];
  const MatrixView<const float> from(in, rows, cols);
  const MatrixView<float> to(out, cols, rows);
  const size_t r0 = size_t(blockIdx.y) * kSide, c0 = size_t(blockIdx.x) * kSide;
  const int lane = threadIdx.x;
  for (const int y : Every{int(threadIdx.y), kSide, 8})
    if (from.contains(r0 + y, c0 + lane)) tile[y][lane] = from(r0 + y, c0 + lane);
  __syncthreads();
  for (const int x : Every{int(threadIdx.y), kSide, 8})
    if (to.contains(c0 + x, r0 + lane)) to(c0 + x, r0 + lane) = tile[lane][x];
}
