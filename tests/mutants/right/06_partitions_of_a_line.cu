// Right: partitions of a line of threads, streaming loads and stores, rows rotated
// judged by: 06_xor_swizzle
#include "common/kernel/lab.cuh"
#include <cooperative_groups.h>
LAUNCH_SHAPE = {.block = {128, 1}, .tile = {32, 32}, .block_x_walks = kRows};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {

  __shared__ float tile[1024];
  auto block = cooperative_groups::this_thread_block();
  auto warp = cooperative_groups::tiled_partition<32>(block);
  const size_t row0 = size_t(blockIdx.x) * 32, col0 = size_t(blockIdx.y) * 32;
  const int lane = warp.thread_rank();
  for (int y = warp.meta_group_rank(); y < 32; y += warp.meta_group_size())
    if (row0 + y < rows && col0 + lane < cols) tile[32 * y + (lane + y) % 32] = __ldcs(&in[(row0 + y) * cols + col0 + lane]);
  block.sync();
  for (int x = warp.meta_group_rank(); x < 32; x += warp.meta_group_size())
    if (row0 + lane < rows && col0 + x < cols) __stcs(&out[(col0 + x) * rows + row0 + lane], tile[32 * lane + (x + lane) % 32]);
}
