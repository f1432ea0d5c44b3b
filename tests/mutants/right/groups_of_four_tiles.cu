// Right: a cooperative group, four tiles one after the other, rows rotated
// judged by: 05_padding, 06_xor_swizzle
#include "common/kernel/lab.cuh"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 128}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float t[32][32];
  cg::thread_block b = cg::this_thread_block();
  const size_t r0 = size_t(blockIdx.y) * 32;
  for (int k = 0; k < 4; ++k) {
    const size_t c0 = (size_t(blockIdx.x) * 4 + k) * 32;
    for (int y = threadIdx.y; y < 32; y += 8)
      if (r0 + y < rows && c0 + threadIdx.x < cols) t[y][(threadIdx.x + y) & 31] = in[(r0 + y) * cols + c0 + threadIdx.x];
    b.sync();
    for (int x = threadIdx.y; x < 32; x += 8)
      if (r0 + threadIdx.x < rows && c0 + x < cols) out[(c0 + x) * rows + r0 + threadIdx.x] = t[threadIdx.x][(x + threadIdx.x) & 31];
    b.sync();
  }
}
