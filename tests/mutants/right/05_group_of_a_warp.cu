// Right: cooperative groups: tiles of a block are warps, each takes every eighth row
// judged by: 04_shared_tile, 05_padding
#include "common/kernel/lab.cuh"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
LAUNCH_SHAPE = {.block = {256, 1}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float t[32][33];
  const size_t r0 = blockIdx.y * size_t(32), c0 = blockIdx.x * size_t(32);
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const int lane = warp.thread_rank(), first = warp.meta_group_rank(), step = warp.meta_group_size();
  for (int y = first; y < 32; y += step)
    if (r0 + y < rows && c0 + lane < cols) t[y][lane] = in[(r0 + y) * cols + c0 + lane];
  block.sync();
  for (int y = first; y < 32; y += step)
    if (c0 + y < cols && r0 + lane < rows) out[(c0 + y) * rows + r0 + lane] = t[lane][y];
}
