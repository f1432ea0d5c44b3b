// Right: a tile of one row and 1,024 columns: most of it lies outside of narrow matrices
// judged by: 01_naive
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {256, 1}, .tile = {1, 1024}, .block_x_walks = kCols};

struct Place { long long row, col; };
namespace index_of {
__device__ __forceinline__ bool inside(const Place& p, long long rows, long long cols) { return p.row < rows & p.col < cols; }
}
extern "C" __global__ void __launch_bounds__(256) transpose(float* __restrict__ out, const float* __restrict__ in, int rows, int cols) {
  Place p{static_cast<long long>(blockIdx.y), blockIdx.x * 1024ll + threadIdx.x};
  for (int left = 4; left-- > 0; p.col += 256)
    if (index_of::inside(p, rows, cols)) *(out + p.col * rows + p.row) = *(in + p.row * cols + p.col);
}
