// Right: cooperative groups: arrival and wait of the block apart
// judged by: 05_padding
#include "common/kernel/lab.cuh"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float t[32][33];
  const size_t r0 = blockIdx.y * size_t(32), c0 = blockIdx.x * size_t(32);
  auto block = cg::this_thread_block();
  for (int y = threadIdx.y; y < 32; y += 8)
    if (r0 + y < rows && c0 + threadIdx.x < cols) t[y][threadIdx.x] = in[(r0 + y) * cols + c0 + threadIdx.x];
  auto token = block.barrier_arrive();
  float* to = out + (c0 + threadIdx.y) * rows + r0 + threadIdx.x;
  block.barrier_wait(static_cast<decltype(token)&&>(token));
  for (int y = threadIdx.y; y < 32; y += 8, to += size_t(8) * rows)
    if (c0 + y < cols && r0 + threadIdx.x < rows) *to = t[threadIdx.x][y];
}
