// Right: cooperative groups: warps of a block by their rank
// judged by: 04_shared_tile, 05_padding
#include <cooperative_groups.h>
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {128, 1}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

namespace cg = cooperative_groups;
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  const size_t r0 = size_t(blockIdx.y) * 32, c0 = size_t(blockIdx.x) * 32;
  for (int y = warp.meta_group_rank(); y < 32; y += warp.meta_group_size())
    if (r0 + y < rows && c0 + warp.thread_rank() < cols) tile[y][warp.thread_rank()] = in[(r0 + y) * cols + c0 + warp.thread_rank()];
  block.sync();
  for (int x = warp.meta_group_rank(); x < 32; x += warp.meta_group_size())
    if (r0 + warp.thread_rank() < rows && c0 + x < cols) out[(c0 + x) * rows + r0 + warp.thread_rank()] = tile[warp.thread_rank()][x];
}
