// Right: cuda::barrier of 1 024 threads, arrival and wait apart
// judged by: 05_padding
#include "common/kernel/lab.cuh"
#include <cuda/barrier>
#include <cuda/std/utility>
LAUNCH_SHAPE = {.block = {32, 32}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float t[32][33];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0 && threadIdx.y == 0) init(&bar, 1024);
  __syncthreads();
  const size_t r0 = blockIdx.y * size_t(32), c0 = blockIdx.x * size_t(32);
  for (int y = threadIdx.y; y < 32; y += 32)
    if (r0 + y < rows && c0 + threadIdx.x < cols) t[y][threadIdx.x] = in[(r0 + y) * cols + c0 + threadIdx.x];
  auto token = bar.arrive();
  float* to = out + (c0 + threadIdx.y) * rows + r0 + threadIdx.x;  // work between arrive and wait
  bar.wait(cuda::std::move(token));
  for (int y = threadIdx.y; y < 32; y += 32, to += size_t(32) * rows)
    if (c0 + y < cols && r0 + threadIdx.x < rows) *to = t[threadIdx.x][y];
}
