// Right: the sum by shuffles, a histogram of two copies in shared memory, a stencil through a tile
// judged by: 17_read_the_profiler
#define sum sum_of_the_solution
#define histogram histogram_of_the_solution
#define stencil stencil_of_the_solution
#include "solutions/17_read_the_profiler/transpose.cu"
#undef sum
#undef histogram
#undef stencil

extern "C" __global__ void sum(unsigned* out, const unsigned* in, int rows, int cols) {
  __shared__ unsigned of_warp[8];
  const size_t count = size_t{1} * rows * cols, threads = size_t{256} * gridDim.x * gridDim.y;
  unsigned mine = 0;
  for (size_t i = (blockIdx.y * gridDim.x + blockIdx.x) * size_t{256} + threadIdx.x; i < count; i += threads) mine += in[i];
  for (int half = 16; half > 0; half /= 2) mine += __shfl_down_sync(0xffffffff, mine, half);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < 8; ++w) mine += of_warp[w];
  atomicAdd(out, mine);
}

extern "C" __global__ void histogram(unsigned* out, const unsigned* in, int rows, int cols) {
  __shared__ unsigned counts[2][kBins];
  const size_t count = size_t{1} * rows * cols, threads = size_t{256} * gridDim.x * gridDim.y;
  const int b = threadIdx.x;
  if (b < kBins) counts[0][b] = counts[1][b] = 0;
  __syncthreads();
  for (size_t i = (blockIdx.y * gridDim.x + blockIdx.x) * size_t{256} + b; i < count; i += threads)
    atomicAdd(&counts[b % 2][in[i] % kBins], 1u);
  __syncthreads();
  if (b < kBins) atomicAdd(&out[b], counts[0][b] + counts[1][b]);
}

extern "C" __global__ void stencil(unsigned* out, const unsigned* in, int rows, int cols) {
  __shared__ unsigned tile[66][32];
  const size_t col = blockIdx.x * 32 + threadIdx.x, first = blockIdx.y * 64;
  for (int y = threadIdx.y; y < 66; y += 8) {
    const bool inside = first + y >= 1 && first + y - 1 < rows && col < cols;
    tile[y][threadIdx.x] = inside ? in[(first + y - 1) * cols + col] : 0;
  }
  __syncthreads();
  for (int y = threadIdx.y; y < 64 && first + y < rows && col < cols; y += 8)
    out[(first + y) * cols + col] = tile[y][threadIdx.x] + tile[y + 1][threadIdx.x] + tile[y + 2][threadIdx.x];
}
