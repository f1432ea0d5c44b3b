// Right: loops are recursion by templates
// judged by: 05_padding
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

template <int Y> struct Move {
  template <class F> static __device__ void each(F f) { f(Y); Move<Y + 8>::each(f); }
};
template <> struct Move<32> { template <class F> static __device__ void each(F) {} };
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float t[32][33];
  const size_t r0 = blockIdx.y * size_t(32), c0 = blockIdx.x * size_t(32);
  const int x = threadIdx.x;
  Move<0>::each([&](int k) { const int y = k + threadIdx.y; if (r0 + y < rows && c0 + x < cols) t[y][x] = in[(r0 + y) * cols + c0 + x]; });
  __syncthreads();
  Move<0>::each([&](int k) { const int y = k + threadIdx.y; if (c0 + y < cols && r0 + x < rows) out[(c0 + y) * rows + r0 + x] = t[x][y]; });
}
