// Right: a barrier in two halves: threads arrive, compute their addresses, and wait
// judged by: 04_shared_tile, 05_padding
#include "common/kernel/lab.cuh"
#include <cuda/barrier>
#include <cuda/std/utility>
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {

  __shared__ float tile[32][33];
  #pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x + threadIdx.y == 0) init(&bar, 256);
  __syncthreads();
  const size_t row0 = size_t(blockIdx.y) * 32, col0 = size_t(blockIdx.x) * 32;
  for (int y = threadIdx.y; y < 32; y += 8)
    if (row0 + y < rows && col0 + threadIdx.x < cols) tile[y][threadIdx.x] = in[(row0 + y) * cols + col0 + threadIdx.x];
  auto token = bar.arrive();
  float* to = out + (col0 + threadIdx.y) * rows + row0 + threadIdx.x;
  const int most = row0 + threadIdx.x < rows ? (cols - col0 > 32 ? 32 : int(cols - col0)) : 0;
  bar.wait(cuda::std::move(token));
  for (int x = threadIdx.y; x < most; x += 8, to += size_t(8) * rows) *to = tile[threadIdx.x][x];
}
