// Right: a flat block of 512 threads; each computes its place in a patch of 16 rows and 32 columns from the bits of its number
// judged by: 02_coalescing
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {512, 1}, .tile = {16, 32}, .block_x_walks = kCols};

struct Patch {
  unsigned t;
  __device__ unsigned row() const { return (t >> 3 & 3) | (t >> 7 & 3) << 2; }
  __device__ unsigned col() const { return (t & 7) | (t >> 5 & 3) << 3; }
};

extern "C" __global__ void transpose(float* __restrict__ out, const float* __restrict__ in, int rows, int cols) {
  const Patch at{threadIdx.x};
  const auto y = static_cast<long long>(blockIdx.y) * 16 + at.row();
  const auto x = static_cast<long long>(blockIdx.x) * 32 + at.col();
  if (y >= rows) return;
  if (x >= cols) return;
  *(out + x * rows + y) = *(in + y * cols + x);
}
